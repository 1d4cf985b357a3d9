#include "recording/host_pause.hpp"

#include "base/numbers/statistics.hpp"

namespace kjoule {

HostPause find_pause(std::span<const WatchedLaunch> launches, const std::vector<size_t>& places) {
  std::vector<double> times_ns;
  size_t waits = 0;
  for (const size_t place : places) {
    if (place == 0) continue;
    times_ns.push_back(static_cast<double>(launches[place].time_ns - launches[place - 1].time_ns));
    waits += launches[place].after_wait ? 1 : 0;
  }
  if (times_ns.empty()) return {};
  return {2 * waits > times_ns.size(), static_cast<int64_t>(median(times_ns))};
}

}  // namespace kjoule
