#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "power/integrate.hpp"
#include "report/energy_reports.hpp"

namespace kjoule {

/// Work between two timestamps of a timing file.
struct TimedBlock {
  std::string start_timestamp, end_timestamp;
  std::optional<int64_t> runs;
  double least_s = 0;  ///< it lasted no less, by its own times
};

struct TimedKernel {
  KernelEnergy kernel;  ///< without its energy
  std::optional<TimedBlock> block;
  std::string error;  ///< why there is no block
};

/// What full_model_timing.json and isolated_kernels_timing.json hold.
struct Timings {
  std::optional<TimedBlock> full;
  std::filesystem::path full_path;
  std::vector<TimedKernel> kernels;
  std::filesystem::path kernels_path;  ///< empty when there was no such file
};

/// Reads timing files of either kind, told apart by what they hold, or a results folder with any of them.
/// Throws Error for a file that is neither, two of one kind, or timestamps that cannot be read.
Timings read_timings(const std::vector<std::filesystem::path>& paths);

/// The block's window in Unix time. Where clocks were set back there may be several: the first that is long
/// enough, and `ambiguous` is set when another is, too.
PowerWindow window_of(const TimedBlock& block, bool& ambiguous);

}  // namespace kjoule
