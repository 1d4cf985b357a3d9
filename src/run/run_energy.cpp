#include "run/run_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "power/instant.hpp"
#include "run/energy_counters.hpp"

namespace kjoule {

namespace {

constexpr auto kPollPause = std::chrono::microseconds(500);
/// Longest time to wait for a tick of the counter, in sensor intervals.
constexpr double kPatienceTicks = 3;

double seconds_of(int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

/// The search for the next tick of a counter.
class TickSearch {
 public:
  explicit TickSearch(Meter& meter)
      : meter_(&meter),
        until_ns_(instant_now().steady_ns +
                  static_cast<int64_t>(kPatienceTicks * meter.facts().tick_s * kNsPerSecond)) {}

  /// Reads the counter. Returns whether the search is over: a tick was seen, or none came in time.
  bool poll() {
    const bool last_try = instant_now().steady_ns > until_ns_;
    for (const MeterValue& value : meter_->read()) take(value);
    return tick_ || last_try;
  }

  const std::optional<CounterTick>& tick() const { return tick_; }

 private:
  void take(const MeterValue& value) {
    if (last_ && !tick_ && value.value != last_->value) {
      const int64_t half_ns = (value.steady_ns - asked_ns(*last_)) / 2;  // it came after the last request
      tick_ = {value.value, value.steady_ns - half_ns, value.unix_ns - half_ns, seconds_of(half_ns)};
    }
    last_ = value;
  }
  static int64_t asked_ns(const MeterValue& value) {
    return value.requested_ns != 0 ? value.requested_ns : value.steady_ns;
  }

  Meter* meter_;
  int64_t until_ns_;
  std::optional<MeterValue> last_;
  std::optional<CounterTick> tick_;
};

}  // namespace

RunEnergyMeter::RunEnergyMeter() {
  try {
    std::map<std::string, std::string> lacks;
    for (auto& [gpu, meter] : open_energy_counters(lacks)) counters_[gpu].meter = std::move(meter);
    for (const auto& [gpu, lack] : lacks) counters_[gpu].lack = lack;
  } catch (const Error& error) {
    lack_ = error.what();
  }
  read_ends(&Counter::begin);
  started_ns_ = instant_now().steady_ns;
}

RunEnergyMeter::RunEnergyMeter(std::map<std::string, std::unique_ptr<Meter>> counters) {
  for (auto& [gpu, meter] : counters) counters_[gpu].meter = std::move(meter);
  read_ends(&Counter::begin);
  started_ns_ = instant_now().steady_ns;
}

void RunEnergyMeter::read_ends(CounterTick Counter::*end) {
  std::vector<std::pair<Counter*, TickSearch>> searches;
  for (auto& [gpu, counter] : counters_)
    if (counter.lack.empty()) searches.emplace_back(&counter, TickSearch(*counter.meter));
  while (!searches.empty()) {
    std::erase_if(searches, [&](auto& search) {
      auto& [counter, ticks] = search;
      try {
        if (!ticks.poll()) return false;
        if (ticks.tick())
          counter->*end = *ticks.tick();
        else
          counter->lack = "the GPU's energy counter does not change";
      } catch (const Error& error) {
        counter->lack = error.what();
      }
      return true;
    });
    if (!searches.empty()) std::this_thread::sleep_for(kPollPause);
  }
}

void RunEnergyMeter::stop() {
  run_s_ = seconds_of(instant_now().steady_ns - started_ns_);
  if (run_s_ >= kShortestRun_s) read_ends(&Counter::end);
}

RunEnergy RunEnergyMeter::energy_of(const RunLog& log) const {
  RunEnergy none;
  std::set<uint16_t> devices;
  for (const DeviceOperation& operation : log.operations) devices.insert(operation.device);
  if (!lack_.empty())
    none.missing = lack_;
  else if (run_s_ < kShortestRun_s)
    none.missing = fmt::format("the run took less than {:g} s", kShortestRun_s);
  else if (devices.empty())
    none.missing = "the GPU ran no work";
  else if (devices.size() > 1)
    none.missing = fmt::format(
        "the program used {} GPUs, but the energy of only one is reported (choose it with --gpu N)",
        devices.size());
  if (!none.missing.empty()) return none;
  const auto device = std::ranges::find(log.devices, *devices.begin(), &LoggedDevice::number);
  if (device == log.devices.end()) {
    none.missing = "the driver did not give the GPU's UUID";
    return none;
  }
  const auto counter = counters_.find(device->uuid);
  if (counter == counters_.end()) {
    none.missing = "NVML does not find the GPU " + device->uuid;
    return none;
  }
  return energy_between(counter->first, counter->second);
}

RunEnergy RunEnergyMeter::energy_between(const std::string& gpu, const Counter& counter) const {
  RunEnergy energy;
  if (!counter.lack.empty())
    energy.missing = counter.lack;
  else if (counter.end.joules <= counter.begin.joules)
    energy.missing = "the GPU's energy counter was reset during the run";
  if (!energy.missing.empty()) return energy;
  energy.meter = counter.meter->facts().source;
  energy.gpu = gpu;
  energy.joules = counter.end.joules - counter.begin.joules;
  energy.begin_ns = counter.begin.unix_ns;
  energy.end_ns = energy.begin_ns + (counter.end.steady_ns - counter.begin.steady_ns);
  energy.half_width_joules = energy.watts() * (counter.begin.half_width_s + counter.end.half_width_s) +
                             counter.meter->facts().value_step;
  return energy;
}

}  // namespace kjoule
