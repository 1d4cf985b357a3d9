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

/// The result of replaying a recorded kernel from its signature: the relation of the kernel that ran to the
/// recorded kernel.
enum class ReplayResult {
  same,            ///< equal name, grid and block; for a copy or memset, equal kind and bytes
  same_family,     ///< another kernel of the same family, category and data type
  not_stated,      ///< the table states a call without the kernel that it launched; the call was made
  different,       ///< a kernel of another family, category or data type
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
  std::string why;           ///< reason why the kernel was not replayed, or why another kernel ran
  bool is_inferred = false;  ///< whether the call is inferred from the kernel's name, grid and block
  std::string call;  ///< the operator or operation that launched the kernel: "aten::addmm", "memcpy HtoD"
  std::string ran;   ///< name of the kernel that ran; of several kernels of one call, "a + b"
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
  std::string iterations_missing;  ///< why counts are not per iteration; empty if counts are per iteration
  /// Number of the table's iterations, over which counts are averaged; nothing if not known.
  std::optional<uint64_t> iterations;
  std::vector<ReplayedKernel> kernels;
  /// Number of kernels that the calls launched, but that the table does not contain.
  size_t extra_kernels = 0;

  /// Returns "cpu", "cuda" or "cpu and cuda"; empty if nothing was replayed.
  std::string replayed_on() const;
  /// Returns the number of GPU kernels whose operators were replayed on the CPU.
  size_t replayed_off_gpu() const;
  /// Returns the replayed time of all launches that may be summed, s; nothing if there are none.
  std::optional<double> sum_s() const;
  /// Returns the sum of the recorded times of all kernels, s; nothing if a kernel has no recorded time.
  std::optional<double> recorded_sum_s() const;
  /// Returns the share, from 0 to 1, of the kernels with this result in the recorded time of all kernels of
  /// the table. If recorded times are not known, returns their share in the number of launches.
  double share(ReplayResult result) const;
  bool shares_are_of_time() const { return recorded_sum_s().value_or(0) > 0; }
};

/// Returns the table with every kernel marked as not replayable. If the plan has no call for a kernel, the
/// kernel's reason is that of the plan; otherwise it is `why`.
ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan,
                               const std::string& why = {});

/// Returns a sentence with the number of kernels that could not be replayed; empty if all kernels could be
/// replayed. If no kernel could be replayed, the sentence contains the reason of the first kernel.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
