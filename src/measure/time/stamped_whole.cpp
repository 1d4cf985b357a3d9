#include "measure/time/stamped_whole.hpp"

#include <algorithm>
#include <numeric>

#include "base/numbers/statistics.hpp"
#include "measure/time/busy_device.hpp"
#include "measure/time/graph_length.hpp"
#include "measure/time/replay_track.hpp"
#include "measure/time/stamp_places.hpp"

namespace kjoule {

namespace {

constexpr int kReplaysOfWhole = 9;
/// Duration of the warm-up after which a GPU at its power limit has a steady clock. Short iterations hardly
/// reach the power limit.
constexpr double kWarmUp_s = 0.25;
constexpr double kMostWarmUpIterations = 1000;
/// Largest accepted cost of a stamp. A larger difference between two graphs has another cause.
constexpr double kMostStamp_s = 4e-6;

/// Returns work with `lead` iterations that warm the caches, a segment of `iterations` iterations, and a
/// segment of twice as many.
StampedWork two_stretches(const TimedIteration& iteration, uint32_t lead, uint32_t iterations) {
  const std::vector<LaunchIndex> order = iteration.order();
  const auto length = static_cast<uint32_t>(order.size());
  StampedWork work;
  for (uint32_t i = 0; i < lead + 3 * iterations; ++i)
    work.launches.insert(work.launches.end(), order.begin(), order.end());
  const std::vector<bool> may_stamp = iteration.may_stamp();
  for (const uint32_t done : {lead, lead + iterations, lead + 3 * iterations}) {
    const uint32_t end = done * length - 1;
    work.stamped_after.push_back(last_stamp_place(end, may_stamp).value_or(end));
  }
  return work;
}

/// Returns the window with stamps before and after its measured launches. If `is_divided`, there is a third
/// stamp among these launches, if any place allows one.
StampedWork between_edges(const TimedIteration& window, bool is_divided) {
  const uint32_t first = window.first_measured() - 1, last = window.end_measured() - 1;
  const uint32_t middle = last_stamp_place(first + (last - first) / 2, window.may_stamp()).value_or(first);
  if (!is_divided || middle <= first || middle >= last) return {window.order(), {first, last}};
  return {window.order(), {first, middle, last}};
}

/// Returns two iterations with restoring, with stamps before and after the first restoring and after the
/// second.
StampedWork with_restoring(const TimedIteration& iteration) {
  const std::vector<LaunchIndex> order = iteration.order();
  const auto length = static_cast<uint32_t>(order.size());
  StampedWork work{order, {length - 2, length - 1, 2 * length - 1}};
  work.launches.insert(work.launches.end(), order.begin(), order.end());
  return work;
}

/// Returns the median of value_of(replayed) over replays of the track.
template <typename Value>
double median_of_replays(Track& track, BusyDevice& busy, const Value& value_of) {
  std::vector<double> values;
  for (int i = 0; i < kReplaysOfWhole; ++i) values.push_back(value_of(busy.replay(track)));
  return median(values);
}

double median_total_s(Track& track, BusyDevice& busy) {
  return median_of_replays(track, busy, [](const TrackTiming& replayed) {
    return std::accumulate(replayed.seconds.begin(), replayed.seconds.end(), 0.0);
  });
}

double time_window(Device& device, const TimedIteration& window) {
  const auto track = device.open(between_edges(window, false));
  replay(*track, 1);
  const double about_s = replay(*track, 1).seconds.at(0);
  BusyDevice busy(device, window, about_s);
  busy.fill(std::min(kWarmUp_s, kMostWarmUpIterations * about_s));
  const double with_stamp_s = median_total_s(*track, busy);
  const auto divided = device.open(between_edges(window, true));
  busy.replay(*divided);
  const double stamp_s = median_total_s(*divided, busy) - with_stamp_s;
  return with_stamp_s - std::clamp(stamp_s, 0.0, kMostStamp_s);
}

/// Returns the time of one iteration, s, from a replay of two_stretches() or, with 1 iteration, of
/// with_restoring().
double difference(const TrackTiming& replayed, uint32_t iterations) {
  return (replayed.seconds.at(1) - replayed.seconds.at(0)) / iterations;
}

/// Returns the time of one iteration from restored memory, without restoring, s.
double time_restored(Device& device, const TimedIteration& iteration) {
  const auto track = device.open(with_restoring(iteration));
  replay(*track, 1);
  const double about_s = difference(replay(*track, 1), 1);
  BusyDevice busy(device, iteration, about_s);
  busy.fill(std::min(kWarmUp_s, kMostWarmUpIterations * about_s));
  return median_of_replays(*track, busy, [](const TrackTiming& replayed) { return difference(replayed, 1); });
}

}  // namespace

double time_undisturbed_whole(Device& device, const TimedIteration& iteration) {
  if (!iteration.is_closed()) return time_window(device, iteration);
  if (iteration.restores) return time_restored(device, iteration);
  const auto pilot = device.open(two_stretches(iteration, 1, 1));
  replay(*pilot, 1);
  const double about_s = difference(replay(*pilot, 1), 1);
  const size_t length = iteration.order().size();
  const uint32_t iterations = iterations_to_time(about_s, length);
  const auto track = device.open(two_stretches(iteration, lead_iterations(about_s, length), iterations));
  BusyDevice busy(device, iteration, about_s);
  busy.fill(std::min(kWarmUp_s, kMostWarmUpIterations * about_s));
  busy.replay(*track);
  return median_of_replays(
      *track, busy, [iterations](const TrackTiming& replayed) { return difference(replayed, iterations); });
}

}  // namespace kjoule
