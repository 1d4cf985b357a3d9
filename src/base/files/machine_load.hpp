#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// The load of this machine by other work when a measurement starts.
struct MachineLoad {
  unsigned cores = 1;
  double average = 0;  ///< the system's load average over one minute
  /// Number of cores that are busy now; measured only if the load average is high.
  std::optional<double> busy_cores{};
};

/// Returns the machine's load. If the load average leaves fewer than `threads` cores, the busy cores are
/// measured for 0.2 s, because work that has just ended (a build) still counts in the average. Nothing of
/// kjoule may run meanwhile.
MachineLoad machine_load(int threads);

/// Returns a warning that times measured now with this number of threads are unreliable, with a remedy; empty
/// if the machine is idle enough.
std::string load_warning(const MachineLoad& load, int threads);

/// Returns the load as JSON: `cores`, `load_average` and `threads`; `busy_cores` if it was measured, and
/// `warnings`, a list, if there are any.
nlohmann::json load_json(const MachineLoad& load, int threads);

/// Returns the available memory in bytes, from /proc/meminfo; nothing if it is not reported there.
std::optional<double> available_memory_bytes();

/// Returns the number of busy cores between two readings of /proc/stat; nothing if these cannot be read.
std::optional<double> busy_cores(std::string_view before, std::string_view after, unsigned cores);

}  // namespace kjoule
