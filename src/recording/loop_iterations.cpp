#include "recording/loop_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/numbers/statistics.hpp"

namespace kjoule {

LoopIterations::LoopIterations(const RunPart& loop, const RunSums& sums) : loop_(loop), sums_(sums) {
  std::vector<double> later, all;
  for (uint64_t i = 0; i < loop.iterations; ++i) {
    if (!sums.is_complete(range(i))) continue;
    all.push_back(static_cast<double>(sums.busy_ns(range(i))));
    if (i > 0) later.push_back(all.back());
  }
  times_ns_ = later.size() > 1 ? later : all;
}

LaunchRange LoopIterations::range(uint64_t iteration) const {
  if (!loop_.even) return {loop_.begins[iteration], loop_.begins[iteration + 1]};
  const uint64_t first = loop_.first + iteration * loop_.period;
  return {first, first + loop_.period};
}

std::optional<uint64_t> LoopIterations::best(uint64_t early, uint64_t most_launches) const {
  const double middle = times_ns_.empty() ? 0 : median(times_ns_);
  early = std::min(early, (loop_.iterations + 1) / 2);
  std::optional<std::tuple<int, double, uint64_t>> best;
  for (uint64_t i = 0; i < loop_.iterations; ++i) {
    if (!can_be_measured(i, most_launches)) continue;
    const int rank = i == 0 ? 2 : i < early ? 1 : 0;
    const std::tuple candidate(rank, std::abs(static_cast<double>(sums_.busy_ns(range(i))) - middle), i);
    if (!best || candidate < *best) best = candidate;
  }
  return best ? std::optional(std::get<2>(*best)) : std::nullopt;
}

std::vector<uint64_t> LoopIterations::systematic(size_t count, uint64_t early, uint64_t most_launches) const {
  std::vector<uint64_t> measurable;
  for (uint64_t i = std::min(early, loop_.iterations / 2); i < loop_.iterations; ++i)
    if (can_be_measured(i, most_launches)) measurable.push_back(i);
  count = std::min(count, measurable.size());
  std::vector<uint64_t> sampled;
  for (size_t i = 0; i < count; ++i)
    sampled.push_back(measurable[(2 * i + 1) * measurable.size() / (2 * count)]);
  return sampled;
}

std::optional<IterationSpread> LoopIterations::spread() const {
  if (times_ns_.size() < 2 || median(times_ns_) <= 0) return {};
  IterationSpread spread{times_ns_.size(), std::llround(quantile(times_ns_, 0.1)),
                         std::llround(median(times_ns_)), std::llround(quantile(times_ns_, 0.9))};
  spread.mean_ns = std::llround(mean(times_ns_));
  if (const Recent last = recent(); last.first < last.end) {
    add_distances(last, spread);
    spread.parts =
        parts_of_iterations(sums_, {range(last.first).first, range(last.end - 1).end}, last.end - last.first);
  }
  return spread;
}

LoopIterations::Recent LoopIterations::recent() const {
  constexpr uint64_t kMost = 64;
  // The last iteration is skipped because another part follows it, the first one because it warms up.
  const auto is_known = [&](uint64_t i) {
    return sums_.begin_ns(range(i).first).has_value() && sums_.begin_ns(range(i).end).has_value();
  };
  Recent recent;
  for (uint64_t i = loop_.iterations > 0 ? loop_.iterations - 1 : 0; i-- > 1;) {
    if (recent.end == 0 && is_known(i)) recent.end = i + 1;  // later ones are not in the profiler's log
    if (recent.end == 0) continue;
    if (!is_known(i) || recent.end - i > kMost) break;
    recent.first = i;
  }
  return recent;
}

void LoopIterations::add_distances(Recent recent, IterationSpread& spread) const {
  spread.host_waits = true;
  for (uint64_t i = recent.end; i-- > recent.first;) {
    spread.distances_ns.push_back(*sums_.begin_ns(range(i).end) - *sums_.begin_ns(range(i).first));
    spread.host_waits = spread.host_waits && sums_.has_wait(range(i));
  }
}

std::optional<IterationSpread> spread_of_last_loop(const RunLog& log, uint64_t first, uint64_t length) {
  const RunSums sums(log);
  const uint64_t launches = sums.launches().size();
  RunPart loop;
  loop.first = sums.launch_at(first);
  if (loop.first >= launches) return {};
  if (length > 0) {
    loop.period = sums.launch_at(first + length) - loop.first;
    loop.iterations = (launches - loop.first) / loop.period;
  } else {
    loop.even = false;
    const HostCall& begin = *sums.launches()[loop.first];
    for (uint64_t launch = loop.first; launch < launches; ++launch)
      if (sums.launches()[launch]->name == begin.name && sums.launches()[launch]->thread == begin.thread)
        loop.begins.push_back(launch);
    loop.iterations = loop.begins.size() - 1;
  }
  return LoopIterations(loop, sums).spread();
}

}  // namespace kjoule
