#pragma once
// The result of replaying the kernels of a table from their signatures, which reports show. SignatureReplay
// fills it.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"
#include "importers/replay_plan.hpp"

namespace kjoule {

/// The relation of the kernel that ran to the recorded kernel, when this was replayed from its signature.
enum class ReplayResult {
  same,            ///< equal name, grid and block; for a copy or memset, equal kind and bytes
  same_family,     ///< another kernel of the same family, category and data type
  not_stated,      ///< the table states a call, but not its kernel; this call was made
  different,       ///< another kernel
  not_replayable,  ///< nothing ran: the table lacks information, or the replay failed
};
inline constexpr std::array kReplayResults = {ReplayResult::same, ReplayResult::same_family,
                                              ReplayResult::not_stated, ReplayResult::different,
                                              ReplayResult::not_replayable};
/// Returns "same", "same family", "kernel not stated", "different" or "not replayable".
const char* to_string(ReplayResult result);
/// Returns whether the time may be summed, because the kernel that ran represents the recorded kernel or
/// call.
inline bool may_be_summed(ReplayResult result) {
  return result == ReplayResult::same || result == ReplayResult::same_family ||
         result == ReplayResult::not_stated;
}

/// A kernel of a table and the result of its replay.
struct ReplayedKernel {
  ImportedKernel kernel;
  double count = 0;  ///< launches per iteration, or in the whole table if its iterations are not known
  ReplayResult result = ReplayResult::not_replayable;
  std::string why;               ///< reason why the kernel was not replayed, or another kernel ran
  bool is_inferred = false;      ///< whether the call is inferred from the kernel's name, grid and block
  std::string call;              ///< the operator or operation that launched it: "aten::addmm", "memcpy HtoD"
  std::string ran;               ///< name of the kernel that ran; of several kernels of one call, "a + b"
  std::string replayed_on;       ///< "cpu" or "cuda"; empty if nothing ran
  std::optional<double> each_s;  ///< time of one launch of `ran` in isolation; for several kernels, their sum
  int runs = 0;                  ///< number of timed launches
  /// Local times of the block of replays; empty if several kernels ran.
  std::string start_timestamp, end_timestamp;

  /// Returns whether the kernel ran on a GPU; false for an operator that kjoule recorded on a CPU.
  bool of_gpu() const {
    return kernel.kind != ActivityKind::kernel || kernel.grid || kernel.launched_by.arguments.is_null();
  }
  /// Returns the mean time of one launch in the trace, s; nothing if the trace has no times.
  std::optional<double> recorded_s() const {
    const auto ns = kernel.mean_ns();
    return ns ? std::optional(*ns * 1e-9) : std::nullopt;
  }
};

/// All kernels of a table, replayed from their signatures.
struct ReplayedTable {
  std::string source, format;
  std::string iterations_missing;  ///< why counts are not per iteration; empty if they are
  /// Number of the table's iterations, over which counts are averaged; nothing if it is not known.
  std::optional<uint64_t> iterations;
  std::vector<ReplayedKernel> kernels;
  size_t extra_kernels = 0;  ///< kernels that the calls launched, but the table does not contain

  /// Returns "cpu", "cuda" or "cpu and cuda"; empty if nothing was replayed.
  std::string replayed_on() const;
  /// Returns the number of GPU kernels whose operators were replayed on the CPU.
  size_t replayed_off_gpu() const;
  /// Returns the replayed time of all launches that may be summed, s; nothing if there are none.
  std::optional<double> sum_s() const;
  /// Returns the sum of the recorded times of all kernels, s; nothing if a kernel has no recorded time.
  std::optional<double> recorded_sum_s() const;
  /// Returns the share of the table's kernels with this result, of their recorded time, or of their number of
  /// launches if recorded times are not known.
  double share(ReplayResult result) const;
  bool shares_are_of_time() const { return recorded_sum_s().value_or(0) > 0; }
};

/// Returns the table with every kernel marked as not replayable. The reason is that of the plan if it has no
/// call for the kernel, otherwise `why`.
ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan,
                               const std::string& why = {});

/// Returns a sentence with the number of kernels that could not be replayed; empty if all could. If no kernel
/// could be replayed, the sentence has the reason for the first one.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
