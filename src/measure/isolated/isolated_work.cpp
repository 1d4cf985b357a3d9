#include "measure/isolated/isolated_work.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/statistics.hpp"
#include "measure/meters/steady_loop.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

constexpr int kReadings = 3;

/// Returns the approximate time of one repeat, s, from the second replay; the first replay only warms up.
double repeat_s(Track& track) {
  replay(track, 1);
  double sum_s = 0;
  for (const double part : replay(track, 1).seconds) sum_s += part;
  return sum_s;
}

/// Returns how many times a graph contains the launches of `work`, which are all copies once: as often as
/// `most` if that takes at most `most_s` seconds, but at least once.
int64_t turns_in_graph(Device& device, const SteadyWork& work, int64_t most, double most_s) {
  if (most == 1 || !std::isfinite(most_s)) return most;
  const double fitting = most_s / repeat_s(*device.open(work));
  return static_cast<int64_t>(std::clamp(fitting, 1.0, static_cast<double>(most)));
}

}  // namespace

IsolatedWorkReading measure_isolated_work(Device& device, const std::vector<std::vector<LaunchIndex>>& copies,
                                          std::span<MeterRecord> meters, const IsolatedWorkOptions& options) {
  const auto in_a_turn = static_cast<int64_t>(copies.size());
  SteadyWork work{1};
  for (const auto& launches : copies) work.only.insert(work.only.end(), launches.begin(), launches.end());
  const int64_t turns =
      turns_in_graph(device, work, (options.unroll + in_a_turn - 1) / in_a_turn, options.most_graph_s);
  work.plain = static_cast<int>(turns);
  const auto track = device.open(work);
  const double about_s = repeat_s(*track);
  const int64_t unrolled = turns * in_a_turn;
  double span_s = options.window.span_s;
  if (options.iterations)
    span_s = about_s * static_cast<double>(std::max<int64_t>(1, *options.iterations / unrolled));
  SteadyLoop loop(meters);
  std::vector<double> seconds, joules;
  for (int i = 0; i < kReadings; ++i) {
    const IsolatedReading reading = isolated_reading(
        loop.read(*track, about_s, {i == 0 ? options.window.settle_s : 0, span_s}), unrolled);
    seconds.push_back(reading.each_s.value);
    if (reading.mean_w) joules.push_back(*reading.mean_w * seconds.back());
  }
  IsolatedWorkReading result{mean_interval(seconds), {}, unrolled};
  if (about_s > 0) result.iterations = std::max<int64_t>(1, std::llround(span_s / about_s)) * unrolled;
  if (joules.size() == seconds.size()) result.each_j = mean_interval(joules);
  return result;
}

}  // namespace kjoule
