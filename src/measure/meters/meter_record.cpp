#include "measure/meters/meter_record.hpp"

namespace kjoule {

void MeterRecord::read() {
  for (const MeterValue& value : meter_->read()) {
    if (is_counter())
      ticks_.add(value);
    else
      samples_.push_back(value);
  }
}

std::optional<double> MeterRecord::mean_of_samples(int64_t begin_ns, int64_t end_ns) const {
  const auto averaging_ns = static_cast<int64_t>(meter_->facts().averaging_s / 1e-9);
  double sum = 0;
  int count = 0;
  for (const MeterValue& sample : samples_) {
    if (sample.steady_ns - averaging_ns < begin_ns || sample.steady_ns > end_ns) continue;
    sum += sample.value;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> MeterRecord::mean_w(int64_t begin_ns, int64_t end_ns) const {
  return is_counter() ? ticks_.mean_w(begin_ns, end_ns) : mean_of_samples(begin_ns, end_ns);
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
