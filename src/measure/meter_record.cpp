#include "measure/meter_record.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace kjoule {

namespace {

constexpr double kNs = 1e-9;
constexpr size_t kEnoughToFit = 8;
/// A poll that was held up by more than this share of a tick says nothing about the phase.
constexpr double kLateShare = 0.2;

}  // namespace

void MeterRecord::read() {
  const bool counter = meter_->facts().quantity == Quantity::energy_j;
  for (const Reading& reading : meter_->read()) {
    if (counter)
      add_tick(reading);
    else
      seen_.push_back({reading.steady_ns, reading.value});
  }
}

void MeterRecord::add_tick(const Reading& reading) {
  if (last_ && reading.value == *last_) return;
  const bool known = last_.has_value();
  if (known && reading.value < *last_) {
    breaks_.push_back(seen_.size());
  } else if (known) {
    int64_t tick = 0;
    if (!seen_.empty()) {
      const double passed_s = static_cast<double>(reading.steady_ns - seen_.back().ns) * kNs;
      tick = seen_.back().tick + std::max<int64_t>(1, std::llround(passed_s / meter_->facts().tick_s));
    }
    seen_.push_back({reading.steady_ns, reading.value, tick});
  }
  last_ = reading.value;
}

MeterRecord::Fit MeterRecord::fit() const {
  const double nominal_s = meter_->facts().tick_s;
  std::vector<double> late;
  for (const Seen& seen : seen_)
    late.push_back(static_cast<double>(seen.ns - seen_.front().ns) * kNs -
                   static_cast<double>(seen.tick) * nominal_s);
  const double usual = median(late);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (std::abs(late[i] - usual) > kLateShare * nominal_s) continue;
    const auto tick = static_cast<double>(seen_[i].tick);
    n += 1;
    x += tick;
    y += late[i];
    xx += tick * tick;
    xy += tick * late[i];
  }
  const double spread = n * xx - x * x;
  const double slope = spread > 0 ? (n * xy - x * y) / spread : 0;
  return {n > 0 ? (y - slope * x) / n : 0, nominal_s + slope};
}

std::optional<double> MeterRecord::counted_w(int64_t begin_ns, int64_t end_ns) const {
  if (seen_.size() < 2) return {};
  const bool fitted = seen_.size() >= kEnoughToFit && meter_->facts().tick_s > 0;
  const Fit ticks = fitted ? fit() : Fit{};
  const auto at_s = [&](const Seen& seen) {
    return fitted ? ticks.first_s + static_cast<double>(seen.tick) * ticks.period_s
                  : static_cast<double>(seen.ns - seen_.front().ns) * kNs;
  };
  const double begin_s = static_cast<double>(begin_ns - seen_.front().ns) * kNs;
  const double end_s = static_cast<double>(end_ns - seen_.front().ns) * kNs;
  std::optional<size_t> first, last;
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (at_s(seen_[i]) < begin_s || at_s(seen_[i]) > end_s) continue;
    if (!first) first = i;
    last = i;
  }
  if (!first || *first == *last) return {};
  for (const size_t at : breaks_)
    if (at > *first && at <= *last) return {};
  return (seen_[*last].value - seen_[*first].value) / (at_s(seen_[*last]) - at_s(seen_[*first]));
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
