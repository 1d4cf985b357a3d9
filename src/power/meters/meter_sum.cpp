#include "power/meters/meter_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "power/meters/polled_meter.hpp"

namespace kjoule {

namespace {

/// Readings of two meters belong together if their times differ by at most this many sensor intervals.
constexpr double kTogether = 1.25;

MeterFacts sum_facts(const std::vector<std::unique_ptr<Meter>>& parts) {
  MeterFacts facts = parts.front()->facts();
  for (size_t p = 1; p < parts.size(); ++p) {
    const MeterFacts& other = parts[p]->facts();
    facts.name += "+" + other.name;
    facts.tick_s = std::max(facts.tick_s, other.tick_s);
    facts.averaging_s = std::max(facts.averaging_s, other.averaging_s);
    facts.value_step = std::max(facts.value_step, other.value_step);
  }
  return facts;
}

std::vector<std::string> part_names(const std::vector<std::unique_ptr<Meter>>& parts) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(part->facts().name);
  return names;
}

/// Returns the mean of one of the readings' times, computed so that their sum does not overflow.
int64_t mean_ns(const std::vector<MeterValue>& readings, int64_t MeterValue::*time) {
  const int64_t first = readings.front().*time;
  int64_t beyond = 0;
  for (const MeterValue& reading : readings) beyond += reading.*time - first;
  return first + beyond / static_cast<int64_t>(readings.size());
}

}  // namespace

MeterSum::MeterSum(std::vector<std::unique_ptr<Meter>> parts)
    : Meter(sum_facts(parts)),
      parts_(std::move(parts)),
      waiting_(parts_.size()),
      lines_(LogLines::Format::wattsup, part_names(parts_)) {}

void MeterSum::poll() {
  for (auto& part : parts_) part = make_polled_meter(std::move(part));
}

void MeterSum::log_to(WriteLine write) {
  write_ = std::move(write);
  write_(lines_.header(), 0);
}

std::vector<MeterValue> MeterSum::fetch() {
  for (size_t p = 0; p < parts_.size(); ++p) {
    for (const MeterValue& reading : parts_[p]->read()) waiting_[p].push_back(reading);
    pass_on(parts_[p]->take_notes());
  }
  std::vector<MeterValue> sums;
  while (const auto together = take_together()) {
    MeterValue sum{mean_ns(*together, &MeterValue::steady_ns), mean_ns(*together, &MeterValue::unix_ns)};
    for (const MeterValue& reading : *together) sum.value += reading.value;
    if (write_) log(sum.unix_ns, *together);
    sums.push_back(sum);
  }
  return sums;
}

std::optional<std::vector<MeterValue>> MeterSum::take_together() {
  const int64_t apart_ns = std::llround(kTogether * facts().tick_s * 1e9);
  const auto has_none = [](const auto& part) { return part.empty(); };
  while (std::none_of(waiting_.begin(), waiting_.end(), has_none)) {
    int64_t latest_ns = 0;
    for (const auto& part : waiting_) latest_ns = std::max(latest_ns, part.front().steady_ns);
    // A reading is discarded if the next one of its meter is nearer in time to the latest reading, or if it
    // is too early for that reading.
    const auto early = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& part) {
      const int64_t before_ns = latest_ns - part.front().steady_ns;
      return before_ns > apart_ns || (part.size() > 1 && std::abs(part[1].steady_ns - latest_ns) < before_ns);
    });
    if (early != waiting_.end()) {
      early->pop_front();
      continue;
    }
    std::vector<MeterValue> together;
    for (auto& part : waiting_) {
      together.push_back(part.front());
      part.pop_front();
    }
    return together;
  }
  return {};
}

void MeterSum::log(int64_t unix_ns, const std::vector<MeterValue>& together) {
  std::vector<std::optional<double>> watts;
  for (const MeterValue& reading : together) watts.emplace_back(reading.value);
  write_(lines_.readings(unix_ns, logged_++, watts), unix_ns);
}

CounterSum::CounterSum(std::vector<std::unique_ptr<Meter>> parts)
    : Meter(sum_facts(parts)), parts_(std::move(parts)) {}

std::vector<MeterValue> CounterSum::fetch() {
  std::vector<MeterValue> values;
  for (const auto& part : parts_) {
    const std::vector<MeterValue> latest = part->read();
    pass_on(part->take_notes());
    if (!latest.empty()) values.push_back(latest.back());
  }
  if (values.size() < parts_.size()) return {};
  MeterValue sum{mean_ns(values, &MeterValue::steady_ns), mean_ns(values, &MeterValue::unix_ns)};
  for (const MeterValue& value : values) sum.value += value.value;
  return {sum};
}

}  // namespace kjoule
