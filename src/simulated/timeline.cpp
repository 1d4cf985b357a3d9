#include "simulated/timeline.hpp"

#include <cmath>

#include "simulated/random.hpp"
#include "simulated/stream.hpp"

namespace kjoule {
namespace {

/// Returns the device's id of a stream; ids do not count from 0.
uint64_t stream_id(int stream) {
  return 7 + 6 * static_cast<uint64_t>(stream);
}

ActivityKind kind_of(const SimulatedLaunch& launch) {
  if (launch.name.starts_with("memcpy")) return ActivityKind::memcpy;
  return launch.name.starts_with("memset") ? ActivityKind::memset : ActivityKind::kernel;
}

uint64_t bytes_of(const SimulatedLaunch& launch) {
  uint64_t bytes = 0;
  if (kind_of(launch) != ActivityKind::kernel)
    for (const ByteRange& range : launch.writes) bytes += range.size();
  return bytes;
}

int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

}  // namespace

std::vector<EagerLaunch> eager_iteration(const SimulatedProgram& program) {
  const auto launches = static_cast<LaunchIndex>(program.launches.size());
  SimulatedStream stream(program);
  const std::vector<SimulatedStream::Parts> steady = replay_to_steady_state(stream, launches);
  std::vector<EagerLaunch> eager;
  int last_stream = 0;
  for (LaunchIndex i = 0; i < launches; ++i) {
    const SimulatedStream::Parts& parts = steady[i];
    const double gap_s = parts.gap_s + program.launches[i].host_gap_s;
    if (i > 0 && gap_s < 0) last_stream = 1 - last_stream;
    eager.push_back({gap_s, parts.body_s, parts.total_s(), last_stream});
  }
  return eager;
}

Observation observation_of(const SimulatedProgram& program, double slowdown, int64_t begin_ns) {
  const double slower = slowdown * ParetoNoise::mean(program.machine.noise);
  const std::vector<EagerLaunch> eager = eager_iteration(program);
  Observation seen;
  std::vector<RecordedOperation> launches;
  int64_t now_ns = begin_ns;
  for (size_t i = 0; i < eager.size(); ++i) {
    const SimulatedLaunch& launch = program.launches[i];
    const uint64_t stream = stream_id(eager[i].stream);
    launches.push_back({kind_of(launch), launch.name, stream, bytes_of(launch), 0});
    seen.launch_s.push_back(slower * eager[i].in_whole_s);
    if (i > 0) now_ns += nanoseconds(slower * eager[i].gap_s);
    const int64_t end_ns = now_ns + nanoseconds(slower * eager[i].body_s);
    if (program.spec.lost_record != i)
      seen.iteration.push_back(
          {kind_of(launch), launch.name, stream, now_ns, end_ns, bytes_of(launch), i + 1, 0});
    now_ns = end_ns;
  }
  seen.audit = audit(launches, seen.iteration);
  return seen;
}

}  // namespace kjoule
