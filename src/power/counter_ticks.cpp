#include "power/counter_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/numbers/line_fit.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

constexpr double kNs = 1e-9;
constexpr size_t kEnoughToFit = 8;
/// The distance of ticks is measured after every kEnoughToMeasure ticks, up to kMostToFit ticks, if polls
/// take at most the share kShortPoll of it. It replaces the distance that the meter states if it differs by
/// more than kOtherTick.
constexpr size_t kEnoughToMeasure = 20;
constexpr double kShortPoll = 0.6;
constexpr double kOtherTick = 0.2;
/// Largest number of ticks to which phase and period are fitted: 30 s of an H200's ticks. Both drift over
/// longer times.
constexpr size_t kMostToFit = 300;
/// A poll that took at most this share of the distance of ticks shows the number of the tick that it saw.
constexpr double kSureShare = 0.5;
/// A poll does not show when a tick came if it took longer than kDelayedShare of the distance of ticks, and
/// longer than kSlowPolls usual polls.
constexpr double kDelayedShare = 0.2;
constexpr double kSlowPolls = 2;
/// Polls that take up to this share of the time span of a mean are always used, because a delay matters less
/// in a long span.
constexpr double kDelayedOfWindow = 0.03;
/// If a tick was seen farther from its fitted time than this share of the period, and than the duration of a
/// usual poll, the time at which it was seen is used.
constexpr double kApartShare = 0.08;

}  // namespace

void CounterTicks::add(const MeterValue& value) {
  const int64_t asked_ns = value.requested_ns != 0 ? value.requested_ns : value.steady_ns;
  const int64_t poll_ns = value.steady_ns - std::exchange(asked_ns_, asked_ns);
  const std::optional<double> last = std::exchange(last_, value.value);
  if (!last || value.value == *last) return;
  if (value.value < *last) {
    falls_.push_back(ticks_.size());
    return;
  }
  ticks_.push_back({value.steady_ns, value.value, 0, poll_ns});
  number(ticks_.size() - 1);
  if (ticks_.size() <= kMostToFit && ticks_.size() % kEnoughToMeasure == 0) measure_tick();
}

void CounterTicks::number(size_t tick) {
  Tick& seen = ticks_[tick];
  const Tick& sure = ticks_[sure_];
  const double passed_s = static_cast<double>(seen.ns - sure.ns) * kNs;
  if (tick > 0) seen.number = sure.number + std::max<int64_t>(1, std::llround(passed_s / tick_s_));
  if (static_cast<double>(seen.poll_ns) * kNs <= kSureShare * tick_s_) sure_ = tick;
}

void CounterTicks::measure_tick() {
  std::vector<double> distances_s, polls_s;
  for (size_t tick = 1; tick < ticks_.size(); ++tick) {
    distances_s.push_back(static_cast<double>(ticks_[tick].ns - ticks_[tick - 1].ns) * kNs);
    polls_s.push_back(static_cast<double>(ticks_[tick].poll_ns) * kNs);
  }
  const double usual_s = median(distances_s);
  if (median(polls_s) > kShortPoll * usual_s || std::abs(usual_s - stated_s_) <= kOtherTick * stated_s_)
    return;
  number_all(usual_s);
  number_all(seen_s(ticks_.back()) / static_cast<double>(ticks_.back().number));
}

void CounterTicks::number_all(double tick_s) {
  tick_s_ = tick_s;
  sure_ = 0;
  for (size_t tick = 0; tick < ticks_.size(); ++tick) number(tick);
}

CounterTicks::Fit CounterTicks::fit(size_t end) const {
  if (ticks_.size() < kEnoughToFit || !(tick_s_ > 0)) return {};
  const std::span<const Tick> recent = std::span(ticks_).first(end).last(std::min(end, kMostToFit));
  std::vector<double> late, polls_s;
  for (const Tick& tick : recent) {
    late.push_back(seen_s(tick) - static_cast<double>(tick.number) * tick_s_);
    polls_s.push_back(static_cast<double>(tick.poll_ns) * kNs);
  }
  const double usual = median(late), poll_s = median(polls_s);
  Fit result;
  result.longest_poll_s = std::max(kDelayedShare * tick_s_, kSlowPolls * poll_s);
  result.apart_s = std::max(kApartShare * tick_s_, poll_s);
  LineFit lateness;
  for (size_t i = 0; i < recent.size(); ++i)
    if (polls_s[i] <= result.longest_poll_s && std::abs(late[i] - usual) <= 2 * result.apart_s)
      lateness.add(static_cast<double>(recent[i].number), late[i]);
  const double slope = lateness.slope().value_or(0);
  result.first_s = lateness.at_0(slope);
  result.period_s = tick_s_ + slope;
  result.is_fitted = true;
  return result;
}

double CounterTicks::came_s(const Tick& tick, const Fit& fit) const {
  const double due_s = fit.first_s + static_cast<double>(tick.number) * fit.period_s;
  return fit.is_fitted && std::abs(seen_s(tick) - due_s) <= fit.apart_s ? due_s : seen_s(tick);
}

bool CounterTicks::falls_between(size_t first, size_t last) const {
  return std::ranges::any_of(falls_, [&](size_t fall) { return fall > first && fall <= last; });
}

std::optional<double> CounterTicks::mean_w(int64_t begin_ns, int64_t end_ns) const {
  if (ticks_.size() < 2) return {};
  const Fit times = fit(ticks_.size());
  const double begin_s = static_cast<double>(begin_ns - ticks_.front().ns) * kNs;
  const double end_s = static_cast<double>(end_ns - ticks_.front().ns) * kNs;
  const double longest_s = std::max(times.longest_poll_s, kDelayedOfWindow * (end_s - begin_s));
  std::optional<size_t> first, last;
  for (size_t i = 0; i < ticks_.size(); ++i) {
    const double at_s = came_s(ticks_[i], times);
    const bool is_delayed = times.is_fitted && static_cast<double>(ticks_[i].poll_ns) * kNs > longest_s;
    if (at_s < begin_s || at_s > end_s || is_delayed) continue;
    if (!first) first = i;
    last = i;
  }
  if (!first || *first == *last || falls_between(*first, *last)) return {};
  return (ticks_[*last].joules - ticks_[*first].joules) /
         (came_s(ticks_[*last], times) - came_s(ticks_[*first], times));
}

std::vector<PowerReading> CounterTicks::readings() const {
  std::vector<PowerReading> readings;
  std::optional<size_t> before;
  Fit times;
  const auto at_ns = [&](double seconds) { return ticks_.front().ns + std::llround(seconds / kNs); };
  for (size_t i = 0; i < ticks_.size(); ++i) {
    if (i % kMostToFit == 0) times = fit(std::min(i + kMostToFit, ticks_.size()));
    const bool is_delayed =
        times.is_fitted && static_cast<double>(ticks_[i].poll_ns) * kNs > times.longest_poll_s;
    if (is_delayed) continue;
    const std::optional<size_t> from = std::exchange(before, i);
    if (!from || falls_between(*from, i)) continue;
    const double begin_s = came_s(ticks_[*from], times), end_s = came_s(ticks_[i], times);
    if (end_s > begin_s)
      readings.push_back(
          {at_ns(begin_s), at_ns(end_s), (ticks_[i].joules - ticks_[*from].joules) / (end_s - begin_s)});
  }
  return readings;
}

}  // namespace kjoule
