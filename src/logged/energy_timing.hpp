#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "logged/log_energies.hpp"
#include "power/integrate.hpp"
#include "power/load_pattern.hpp"

namespace kjoule {

/// Work between two timestamps of a timing file.
struct TimedBlock {
  std::string start_timestamp, end_timestamp;
  std::optional<int64_t> runs;
  double least_s = 0;  ///< least duration of the work in s, from the durations of its runs
  /// Returns the time of one run, s; 0 if the runs are not known.
  double run_s() const { return runs ? least_s / static_cast<double>(*runs) : 0; }
};

struct TimedKernel {
  KernelEnergy kernel;              ///< kernel without its energy
  std::optional<TimedBlock> block;  ///< absent if the kernel has an error or a group
};

/// Kernels that were measured together.
struct TimedGroup {
  std::string name;
  /// Their launches back to back; absent if their energy is the difference of iterations.
  std::optional<TimedBlock> together{};
  std::vector<TimedBlock> with{}, without{};  ///< iterations with and without their launches
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
  double whole_block_us = 0;              ///< time of one run in it
  std::optional<ContextTimes> in_context;
  std::optional<LoadPattern> pattern;  ///< load pattern that was played
  std::filesystem::path kernels_path;  ///< empty if there was no such file
};

/// Reads timing files, whose kind is recognised by their contents, or results folders that contain such
/// files. Throws Error for a file of neither kind, for two files of one kind, and for timestamps that cannot
/// be read.
Timings read_timings(const std::vector<std::filesystem::path>& paths);

/// Returns the windows in Unix time that the block's timestamps may mean and that are long enough for its
/// runs: none if the timestamps contradict the runs, and several if clocks were set back and a time occurs
/// twice.
std::vector<PowerWindow> windows_of(const TimedBlock& block);
/// Returns the longest window that the timestamps may mean, long enough or not.
PowerWindow longest_window(const TimedBlock& block);

}  // namespace kjoule
