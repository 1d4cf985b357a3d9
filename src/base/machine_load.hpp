#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// How busy this machine is with other work when a measurement starts.
struct MachineLoad {
  unsigned cores = 1;
  double average = 0;                  ///< the system's load average over a minute
  std::optional<double> busy_cores{};  ///< a short look at what runs now; only where the average gives cause
};

/// Reads the load average; where it leaves fewer than `threads` cores, looks 0.2 s at what really runs,
/// because work that has just ended (a build) still counts in the average. Nothing of our own may run
/// meanwhile.
MachineLoad machine_load(int threads);

/// Why times taken now with so many threads are useless, and what to do; empty when the machine is quiet.
std::string load_warning(const MachineLoad& load, int threads);

/// `cores`, `load_average`, `threads`, and where they were looked at `busy_cores` and `warnings`, a list.
nlohmann::json load_json(const MachineLoad& load, int threads);

/// Memory that programs can still have, by /proc/meminfo; nothing where that does not tell.
std::optional<double> available_memory_bytes();

/// Cores that were busy between two readings of /proc/stat; nothing when they do not tell.
std::optional<double> busy_cores(std::string_view before, std::string_view after, unsigned cores);

}  // namespace kjoule
