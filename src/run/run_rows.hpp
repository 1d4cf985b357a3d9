#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/observation.hpp"
#include "recording/recording.hpp"

// What the rows of a run's folder say: pure functions, so that a killed run can be reported, too.

namespace kjoule {

/// The program's own iterations, run in one contiguous block.
struct FullTiming {
  std::vector<double> run_s;  ///< each run
  int warmup = 0;
  std::string start_timestamp;  ///< local time; start and end bracket exactly these runs
  std::string end_timestamp;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

/// Returns the run's header: program, device, versions, title, and the device's load at each start.
nlohmann::json run_header(const std::vector<nlohmann::json>& rows);
/// Throws Error where the program's own iterations were not timed.
FullTiming full_timing(const std::vector<nlohmann::json>& rows);
/// Returns nothing where the device keeps no timeline. Throws Error with the reason why it could not be read.
std::optional<Observation> observation_in(const std::vector<nlohmann::json>& rows);
/// Returns the kernels that could not be replayed, and why.
std::map<uint32_t, std::string> excluded_kernels(const std::vector<nlohmann::json>& rows);
/// Returns the places of these kernels in the iteration.
std::set<LaunchIndex> excluded_launches(const KernelTable& table, const std::vector<nlohmann::json>& rows);
/// Returns the device's power while the program was paused and nothing ran, W, where it was measured.
std::optional<double> idle_w_in(const std::vector<nlohmann::json>& rows);

}  // namespace kjoule
