#pragma once
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// The load of this machine by other programs before a measurement.
struct MachineLoad {
  unsigned cores = 1;
  double average = 0;  ///< the system's load average over one minute
  /// Number of cores that are busy now; nothing if the load average is so low that it was not measured.
  std::optional<double> busy_cores{};
};

/// Returns the machine's load. If the load average leaves fewer than `threads` cores free, the number of busy
/// cores is also measured, for 0.2 s, because the load average still includes work that has just ended (a
/// build). Call this function while kjoule itself runs no work.
MachineLoad machine_load(int threads);

/// Returns a warning, with its remedy, that times measured now with `threads` threads are not reliable.
/// Returns an empty text if enough cores are idle.
std::string load_warning(const MachineLoad& load, int threads);

/// Returns the load as JSON: `cores`, `load_average` and `threads`, also `busy_cores` if it was measured, and
/// the list `warnings` if there is a warning.
nlohmann::json load_json(const MachineLoad& load, int threads);

/// Returns the available memory in bytes, from /proc/meminfo; no value if it is not reported there.
std::optional<double> available_memory_bytes();

/// Returns the mean number of busy cores between two readings of /proc/stat, whose texts are `before` and
/// `after`; no value if these texts have another form.
std::optional<double> busy_cores(std::string_view before, std::string_view after, unsigned cores);

}  // namespace kjoule
