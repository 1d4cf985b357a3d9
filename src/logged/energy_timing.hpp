#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "logged/log_energies.hpp"
#include "logged/logged_meter.hpp"
#include "power/integrate.hpp"
#include "power/load_pattern.hpp"

namespace kjoule {

/// Work between two timestamps of a timing file.
struct TimedBlock {
  std::string start_timestamp, end_timestamp;
  std::optional<int64_t> runs;  ///< number of runs of the work
  double least_s = 0;  ///< shortest duration of the work, s: number of runs times the time of one run
  /// Returns the time of one run, s; 0 if the runs are not known.
  double run_s() const { return runs ? least_s / static_cast<double>(*runs) : 0; }
};

/// A kernel of a timing file, with its block.
struct TimedKernel {
  KernelEnergy kernel;              ///< kernel without its energy
  std::optional<TimedBlock> block;  ///< absent if the kernel has an error or a group
};

/// A group of kernels that were measured together.
struct TimedGroup {
  std::string name;
  /// Block of the kernels' launches back to back; nothing if their energy is the difference between
  /// iterations.
  std::optional<TimedBlock> together{};
  std::vector<TimedBlock> with{}, without{};  ///< blocks of iterations with and without the kernels' launches
  std::string error{};                        ///< why there are no blocks; empty if there are
  std::vector<TimedBlock> blocks() const;
};

/// The contents of full_model_timing.json and isolated_kernels_timing.json.
struct Timings {
  std::optional<TimedBlock> full;
  std::filesystem::path full_path;
  std::vector<TimedKernel> kernels;
  std::vector<TimedGroup> groups;
  std::optional<TimedBlock> whole_block;  ///< the whole, repeated back to back
  double whole_block_us = 0;              ///< time of one run in this block
  std::optional<ContextTimes> in_context;
  std::optional<LoadPattern> pattern;  ///< load pattern that kjoule ran
  std::optional<LoggedMeter> meter;    ///< meter that was logged in the folder of the timings
  /// Path of isolated_kernels_timing.json; empty if there was no such file.
  std::filesystem::path kernels_path;
};

/// Reads timing files, or results folders that contain them. The kind of a file is recognised by its
/// contents. Throws Error if a file is of neither kind, if two files are of the same kind, or if a timestamp
/// cannot be read.
Timings read_timings(const std::vector<std::filesystem::path>& paths);

/// Returns the windows, in Unix time, that the block's local timestamps may mean and that are long enough for
/// the block's runs. Returns no window if the timestamps contradict the runs, and several if a local time
/// occurred twice, because clocks were set back.
std::vector<PowerWindow> windows_of(const TimedBlock& block);
/// Returns the longest window that the timestamps may mean, even if it is too short for the runs.
PowerWindow longest_window(const TimedBlock& block);

}  // namespace kjoule
