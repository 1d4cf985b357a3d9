#include "measure/meters/meter_record.hpp"

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
/// The sensor interval is measured after every kEnoughToMeasure ticks, up to kMostToFit ticks, if polls take
/// at most the share kShortPoll of it. It replaces the interval that the meter states if it differs by more
/// than kOtherTick.
constexpr size_t kEnoughToMeasure = 20;
constexpr double kShortPoll = 0.6;
constexpr double kOtherTick = 0.2;
/// Largest number of ticks to which phase and period are fitted: 30 s of an H200's ticks. Both drift over
/// longer times.
constexpr size_t kMostToFit = 300;
/// A poll that took at most this share of the sensor interval shows the number of the tick that it saw.
constexpr double kSureShare = 0.5;
/// A poll does not show when a tick came if it took longer than kHeldShare of the sensor interval, and longer
/// than kSlowPolls usual polls.
constexpr double kHeldShare = 0.2;
constexpr double kSlowPolls = 2;
/// Polls that take up to this share of the time span of a mean are always used, because a delay matters less
/// in a long span.
constexpr double kHeldOfWindow = 0.03;
/// If a tick was seen farther from its fitted time than this share of the period, and than the duration of a
/// usual poll, the time at which it was seen is used.
constexpr double kApartShare = 0.08;

}  // namespace

void MeterRecord::read() {
  const bool counter = meter_->facts().quantity == Quantity::energy_j;
  for (const MeterValue& reading : meter_->read()) {
    if (counter)
      add_tick(reading);
    else
      seen_.push_back({reading.steady_ns, reading.value});
  }
}

void MeterRecord::add_tick(const MeterValue& reading) {
  const int64_t asked_ns = reading.requested_ns != 0 ? reading.requested_ns : reading.steady_ns;
  const int64_t poll_ns = reading.steady_ns - std::exchange(asked_ns_, asked_ns);
  if (last_ && reading.value == *last_) return;
  const bool known = last_.has_value();
  if (known && reading.value < *last_) {
    breaks_.push_back(seen_.size());
  } else if (known) {
    seen_.push_back({reading.steady_ns, reading.value, 0, poll_ns});
    number(seen_.size() - 1);
    if (seen_.size() <= kMostToFit && seen_.size() % kEnoughToMeasure == 0) measure_tick();
  }
  last_ = reading.value;
}

void MeterRecord::number(size_t tick) {
  Seen& seen = seen_[tick];
  const Seen& sure = seen_[sure_];
  const double passed_s = static_cast<double>(seen.ns - sure.ns) * kNs;
  if (tick > 0) seen.tick = sure.tick + std::max<int64_t>(1, std::llround(passed_s / tick_s_));
  if (static_cast<double>(seen.poll_ns) * kNs <= kSureShare * tick_s_) sure_ = tick;
}

void MeterRecord::measure_tick() {
  std::vector<double> apart_s, polls_s;
  for (size_t tick = 1; tick < seen_.size(); ++tick) {
    apart_s.push_back(static_cast<double>(seen_[tick].ns - seen_[tick - 1].ns) * kNs);
    polls_s.push_back(static_cast<double>(seen_[tick].poll_ns) * kNs);
  }
  const double usual_s = median(apart_s);
  const double stated_s = meter_->facts().tick_s;
  if (median(polls_s) > kShortPoll * usual_s || std::abs(usual_s - stated_s) <= kOtherTick * stated_s) return;
  number_all(usual_s);
  number_all(at_s(seen_.back()) / static_cast<double>(seen_.back().tick));
}

void MeterRecord::number_all(double tick_s) {
  tick_s_ = tick_s;
  sure_ = 0;
  for (size_t tick = 0; tick < seen_.size(); ++tick) number(tick);
}

MeterRecord::Fit MeterRecord::fit() const {
  const std::span<const Seen> recent = std::span(seen_).last(std::min(seen_.size(), kMostToFit));
  std::vector<double> late, held;
  for (const Seen& seen : recent) {
    late.push_back(at_s(seen) - static_cast<double>(seen.tick) * tick_s_);
    held.push_back(static_cast<double>(seen.poll_ns) * kNs);
  }
  const double usual = median(late), poll_s = median(held);
  Fit result;
  result.longest_poll_s = std::max(kHeldShare * tick_s_, kSlowPolls * poll_s);
  result.apart_s = std::max(kApartShare * tick_s_, poll_s);
  LineFit lateness;
  for (size_t i = 0; i < recent.size(); ++i)
    if (held[i] <= result.longest_poll_s && std::abs(late[i] - usual) <= 2 * result.apart_s)
      lateness.add(static_cast<double>(recent[i].tick), late[i]);
  const double slope = lateness.slope().value_or(0);
  result.first_s = lateness.at_0(slope);
  result.period_s = tick_s_ + slope;
  return result;
}

std::optional<double> MeterRecord::counted_w(int64_t begin_ns, int64_t end_ns) const {
  if (seen_.size() < 2) return {};
  const bool fitted = seen_.size() >= kEnoughToFit && tick_s_ > 0;
  const Fit ticks = fitted ? fit() : Fit{};
  const auto came_s = [&](const Seen& seen) {
    if (!fitted) return at_s(seen);
    const double due_s = ticks.first_s + static_cast<double>(seen.tick) * ticks.period_s;
    return std::abs(at_s(seen) - due_s) <= ticks.apart_s ? due_s : at_s(seen);
  };
  const double begin_s = static_cast<double>(begin_ns - seen_.front().ns) * kNs;
  const double end_s = static_cast<double>(end_ns - seen_.front().ns) * kNs;
  const double longest_s = std::max(ticks.longest_poll_s, kHeldOfWindow * (end_s - begin_s));
  const auto believed = [&](const Seen& seen) {
    return !fitted || static_cast<double>(seen.poll_ns) * kNs <= longest_s;
  };
  std::optional<size_t> first, last;
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (came_s(seen_[i]) < begin_s || came_s(seen_[i]) > end_s || !believed(seen_[i])) continue;
    if (!first) first = i;
    last = i;
  }
  if (!first || *first == *last) return {};
  for (const size_t at : breaks_)
    if (at > *first && at <= *last) return {};
  return (seen_[*last].value - seen_[*first].value) / (came_s(seen_[*last]) - came_s(seen_[*first]));
}

std::optional<double> MeterRecord::sampled_w(int64_t begin_ns, int64_t end_ns) const {
  const auto averaging_ns = static_cast<int64_t>(meter_->facts().averaging_s / kNs);
  double sum = 0;
  int count = 0;
  for (const Seen& seen : seen_) {
    if (seen.ns - averaging_ns < begin_ns || seen.ns > end_ns) continue;
    sum += seen.value;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> MeterRecord::mean_w(int64_t begin_ns, int64_t end_ns) const {
  return meter_->facts().quantity == Quantity::energy_j ? counted_w(begin_ns, end_ns)
                                                        : sampled_w(begin_ns, end_ns);
}

std::vector<MeterRecord> records_under_load(const std::vector<std::unique_ptr<Meter>>& meters) {
  std::vector<MeterRecord> records;
  for (const auto& meter : meters) {
    meter->expect_load(true);
    records.emplace_back(*meter);
  }
  return records;
}

}  // namespace kjoule
