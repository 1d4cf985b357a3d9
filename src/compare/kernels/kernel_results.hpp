#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "recording/kernel_rules.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// The energy of all launches of one kernel in one iteration.
struct KernelJoules {
  /// Measured energy. A kernel of a group has a part of the group's energy, in proportion to the kernel's
  /// time in context.
  Interval joules;
  double seconds = 0;       ///< time of the kernel during the energy readings
  double attributed_j = 0;  ///< attributed energy: scaled so that all kernels add up to the whole
  size_t together = 1;  ///< number of kernels that were measured in the same readings, this kernel included
  /// Returns the mean power; nothing if the kernel's time is 0.
  std::optional<double> watts() const {
    return seconds > 0 ? std::optional(joules.value / seconds) : std::nullopt;
  }
};

/// The results of one kernel. Times are those of all its launches in one iteration, in s, unless stated
/// otherwise.
struct KernelResult {
  std::string name;
  Tier tier = Tier::unknown;
  std::string family, dtype;         ///< by the rules for names; empty if no rule matches
  std::string category = "unknown";  ///< by the rules for names
  std::string signature;
  size_t count = 0;
  std::optional<Interval> in_context_s;
  std::optional<double> timeline_s;  ///< time on the device's timeline of the replayed whole
  std::optional<double> isolated_s;  ///< time of one launch in isolation
  /// Bytes that one launch copies or sets; nothing unless the kernel is a copy or a memset.
  std::optional<uint64_t> bytes_moved;
  bool uses_host_memory = false;  ///< whether a launch has an argument that is an address in host memory
  bool timed_together = false;  ///< whether some launches could not be timed separately from their neighbours
  std::optional<KernelJoules> energy;
  int isolated_runs = 0;
  std::string start_timestamp;  ///< local time at which the kernel's block in isolation began
  std::string end_timestamp;    ///< local time at which this block ended
  std::string error;  ///< why the kernel is missing from the sums; empty if the sums contain the kernel
  /// Why isolated_s is missing although the sums contain the kernel; otherwise empty.
  std::string isolated_error;
};

/// Returns the kernels of the table, in the order of the table, without times.
std::vector<KernelResult> kernel_results(const KernelTable& table);

/// Returns the kernels of the table, classified by `rules`, with the time of each kernel in isolation.
std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows, KernelRules& rules);

/// Sets tier, family, data type and category of each kernel by its name. A kernel whose name matches no rule
/// keeps the tier with which it was recorded.
void classify(std::vector<KernelResult>& kernels, KernelRules& rules);

}  // namespace kjoule
