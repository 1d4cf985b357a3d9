#include "simulated/steady.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {
namespace {

void replay_marked(SimulatedStream& stream, LaunchIndex launches, const SteadyWork& work,
                   SteadyRepeat& repeat) {
  std::vector<bool> marked(launches);
  for (const LaunchIndex launch : work.marked) marked[launch] = true;
  for (LaunchIndex i = 0; i < launches; ++i) {
    if (marked[i] && work.left_out) {
      repeat.add(stream.copy_instead(i));
      continue;
    }
    repeat.add(stream.replay_launch(i));
    if (marked[i]) repeat.add(stream.copy_over(i));
  }
}

}  // namespace

void SteadyRepeat::add(const SimulatedStream::Parts& launch) {
  other_s += launch.gap_s;
  (launch.compute_bound ? compute_s : other_s) += launch.body_s;
  compute_j += launch.compute_j;
  memory_j += launch.memory_j;
  squares_s2 += launch.total_s() * launch.total_s();
}

double SteadyRepeat::spread() const {
  const double whole_s = seconds(1);
  return whole_s > 0 ? std::sqrt(squares_s2) / whole_s : 0;
}

SteadyRepeat replay_steady_repeat(SimulatedStream& stream, LaunchIndex recorded, const SteadyWork& work,
                                  double pause_s) {
  const LaunchIndex launches = work.end.value_or(recorded);
  SteadyRepeat repeat;
  if (!work.only.empty()) {
    for (int time = 0; time < work.plain; ++time)
      for (const LaunchIndex i : work.only) repeat.add(stream.replay_launch(i));
    return repeat;
  }
  const int iterations = work.plain + (work.marked.empty() ? 0 : 1);
  repeat.other_s += std::max(1, iterations) * pause_s;
  for (int iteration = 0; iteration < work.plain; ++iteration) {
    if (work.flushed) repeat.add(stream.flush());
    for (LaunchIndex i = 0; i < launches; ++i) repeat.add(stream.replay_launch(i));
  }
  if (work.plain > 0 || work.marked.empty()) repeat.add(stream.restore());
  if (work.marked.empty()) return repeat;
  if (work.flushed) repeat.add(stream.flush());
  replay_marked(stream, launches, work, repeat);
  repeat.add(stream.restore());
  return repeat;
}

}  // namespace kjoule
