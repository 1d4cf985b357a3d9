#include "measure/time/stamped_instrument.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "measure/time/stamp_places.hpp"

namespace kjoule {

namespace {

/// Numbers of graphs with dense stamps, with sparse stamps, and of the whole in a round.
constexpr size_t kDense = 4, kSparse = 2, kWholes = 1;
/// Largest number of launches from one stamp to the next (docs/design/method.md).
constexpr uint32_t kLargestDenseGap = 4, kLargestSparseGap = 64;
/// The first replay of a graph uploads it to the device. It is not used if an iteration is shorter than this;
/// the upload takes a negligible share of longer iterations.
constexpr double kFirstReplayMatters_s = 1e-2;
/// Time for making all graphs of a round, s, divided by the number of launches of one graph.
constexpr double kMaking_s = 2e-5;
/// Number of launches before and after the whole's stamps that may also get stamps, so that every launch is
/// timed from stamps at several positions before it.
constexpr uint32_t kOverlap = 16;
/// Smallest number of launches after the whole's last stamp, so that every stamp is between launches. They
/// complete the last iteration, so that memory can be restored from the changes of one iteration.
constexpr uint32_t kTail = 32;

std::optional<double> mean_clock(std::vector<double> hz) {
  return hz.empty() ? std::nullopt : std::optional(mean(hz));
}

void append(const std::vector<double>& values, std::vector<double>& all) {
  all.insert(all.end(), values.begin(), values.end());
}

}  // namespace

StampedInstrument::StampedInstrument(Device& device, const Clock& clock, const TimedIteration& iteration,
                                     const StampedPlan& plan)
    : device_(device),
      busy_(device, iteration, plan.undisturbed_s),
      clock_(clock),
      plan_(plan),
      may_stamp_(iteration.may_stamp()) {
  if (!iteration.is_closed()) {
    launches_ = iteration.order();
    first_ = iteration.first_measured() - 1;
    last_ = iteration.end_measured() - 1;
    return;
  }
  const std::vector<LaunchIndex> order = iteration.order();
  const auto length = static_cast<uint32_t>(order.size());
  const auto lead = static_cast<uint32_t>(plan.lead_iterations) * length;
  const auto first = last_stamp_place(lead - 1 - std::min(kTail, lead / 2), may_stamp_);
  if (!first)
    throw Error(
        "every launch may begin before its predecessor has ended, so the launches cannot be timed separately",
        "disable programmatic dependent launches in the program");
  first_ = *first;
  if (iteration.waits_for_ranks) earliest_ = length;
  last_ = first_ + length * static_cast<uint32_t>(plan.iterations);
  for (int i = 0; i < plan.lead_iterations + plan.iterations; ++i)
    launches_.insert(launches_.end(), order.begin(), order.end());
}

StampedInstrument::OpenGraph StampedInstrument::open(std::vector<uint32_t> stamped_after) {
  auto track = device_.open(StampedWork{launches_, stamped_after});
  return {std::move(stamped_after), std::move(track), {}, {}};
}

std::vector<uint32_t> StampedInstrument::draw_places(uint32_t largest_gap, uint64_t seed) const {
  const auto end = static_cast<uint32_t>(launches_.size()) - 1;
  const uint32_t last = last_stamp_place(std::min(last_ + kOverlap, end), may_stamp_).value();
  const uint32_t begin = std::max(first_ - std::min(kOverlap, first_), std::min(earliest_, first_));
  return draw_stamp_places(begin, last, largest_gap, may_stamp_, seed);
}

std::vector<StampedInstrument::OpenGraph> StampedInstrument::open_round(int number) {
  std::vector<OpenGraph> graphs;
  uint64_t seed = static_cast<uint64_t>(number) * (kDense + kSparse);
  for (size_t i = 0; i < kDense; ++i) graphs.push_back(open(draw_places(kLargestDenseGap, seed++)));
  for (size_t i = 0; i < kSparse; ++i) graphs.push_back(open(draw_places(kLargestSparseGap, seed++)));
  for (size_t i = 0; i < kWholes; ++i) graphs.push_back(open({first_, last_}));
  return graphs;
}

void StampedInstrument::replay_shuffled(std::vector<OpenGraph>& graphs, int number) {
  if (plan_.undisturbed_s < kFirstReplayMatters_s)
    for (OpenGraph& graph : graphs) busy_.replay(*graph.track);
  std::mt19937_64 words(static_cast<uint64_t>(number));
  std::vector<size_t> order(graphs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (int i = 0; i < plan_.replays; ++i) {
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[draw_below(words, left)]);
    for (const size_t next : order) {
      const TrackTiming replayed = busy_.replay(*graphs[next].track);
      append(replayed.seconds, graphs[next].seconds);
      append(replayed.clock_hz, graphs[next].clock_hz);
    }
  }
}

Round StampedInstrument::measure(int number) {
  device_.begin_round(number);
  Round round;
  round.number = number;
  round.begin_ns = clock_.now_ns();
  busy_.fill(kMaking_s * static_cast<double>(launches_.size()));
  std::vector<OpenGraph> graphs = open_round(number);
  replay_shuffled(graphs, number);
  busy_.drain();
  StampedLaunches times;
  times.launches = static_cast<uint32_t>(may_stamp_.size());
  times.iterations = static_cast<uint32_t>(plan_.iterations);
  std::vector<double> sum_hz, whole_hz;
  for (size_t i = 0; i < graphs.size(); ++i) {
    const bool dense = i < kDense, whole = i >= kDense + kSparse;
    append(graphs[i].clock_hz, whole ? whole_hz : sum_hz);
    (whole   ? times.wholes
     : dense ? times.dense
             : times.sparse)
        .push_back(summarize_replays(std::move(graphs[i].stamped_after), graphs[i].seconds));
  }
  times.sum_clock_hz = mean_clock(std::move(sum_hz));
  times.whole_clock_hz = mean_clock(std::move(whole_hz));
  round.times = std::move(times);
  round.end_ns = clock_.now_ns();
  return round;
}

}  // namespace kjoule
