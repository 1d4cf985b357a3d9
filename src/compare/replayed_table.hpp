#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "importers/imported_table.hpp"

namespace kjoule {

/// What ran when a kernel was replayed from its signature.
enum class Replayed {
  same,            ///< name, grid and block are the recorded ones; of a copy or memset kind and bytes
  same_family,     ///< another kernel of the same family, category and data type
  different,       ///< something else
  not_replayable,  ///< nothing: the table does not say enough, or it failed
};
inline constexpr std::array kReplayed = {Replayed::same, Replayed::same_family, Replayed::different,
                                         Replayed::not_replayable};
/// "same", "same family", "different", "not replayable"
const char* replayed_text(Replayed replayed);
/// Whether its time may be summed: what ran stands for the recorded kernel.
inline bool may_be_summed(Replayed replayed) {
  return replayed == Replayed::same || replayed == Replayed::same_family;
}

/// A kernel of a table and what became of it.
struct ReplayedKernel {
  ImportedKernel kernel;
  double count = 0;  ///< an iteration; in the whole table where its iterations are unknown
  Replayed replayed = Replayed::not_replayable;
  std::string why;               ///< it could not be replayed
  std::string call;              ///< what launched it: "aten::addmm", "memcpy HtoD"
  std::string ran;               ///< name of the kernel that ran
  std::optional<double> each_s;  ///< that one's launch, alone
  int runs = 0;
  std::string start_timestamp, end_timestamp;  ///< of the block in which it was played

  /// Not an operator that kjoule recorded on a CPU.
  bool of_gpu() const {
    return kernel.kind != ActivityKind::kernel || kernel.grid || kernel.launched_by.arguments.is_null();
  }
  /// What the trace says of one launch.
  std::optional<double> recorded_s() const {
    const auto ns = kernel.mean_ns();
    return ns ? std::optional(*ns * 1e-9) : std::nullopt;
  }
};

/// All kernels of a table, replayed from their signatures alone.
struct ReplayedTable {
  std::string source, format;
  std::string iterations_missing;      ///< why counts are not of one iteration; empty when they are
  std::optional<uint64_t> iterations;  ///< over which they are the mean; nothing where that is not known
  std::string played_on;               ///< "cpu" or "cuda"; empty where nothing was played
  std::vector<ReplayedKernel> kernels;
  size_t extra_kernels = 0;  ///< that the calls launched beside the kernels of the table

  /// Kernels of a GPU of which the CPU played what launched them.
  size_t played_off_gpu() const;
  /// Time of all launches that may be summed, s; nothing where none may.
  std::optional<double> sum_s() const;
  /// Sum of the recorded times of all kernels, s; nothing where one has none.
  std::optional<double> recorded_sum_s() const;
  /// Part of the table that was replayed so: of its recorded time, or where that is unknown of its launches.
  double share(Replayed replayed) const;
  bool shares_are_of_time() const { return recorded_sum_s().value_or(0) > 0; }
};

}  // namespace kjoule
