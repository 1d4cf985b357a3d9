#include "simulated/meter.hpp"

#include <algorithm>
#include <cmath>

#include "simulated/random.hpp"

namespace kjoule {
namespace {

using MeterKind = SimulatedMeterKind;
using Health = SimulatedSpec::MeterHealth;

constexpr int64_t millisecond = 1'000'000;
constexpr int64_t tick_ns = 100 * millisecond;
constexpr int64_t sample_ns = 20 * millisecond;
constexpr int64_t poll_ns = 5 * millisecond;
/// Variation of a poll's begin. It is shorter than the shortest poll.
constexpr int64_t poll_varies_ns = 1 * millisecond;
constexpr int64_t poll_least_ns = 3 * millisecond;
constexpr int64_t poll_most_ns = 7 * millisecond;
constexpr int64_t fault_ns = 3'000 * millisecond;
/// 2000-01-01 00:00:00, at which the wall time of VirtualClock begins.
constexpr int64_t unix_begin_ns = 946'684'800'000'000'000;
constexpr double smallest_step = 1e-3;

MeterFacts facts_of(MeterKind kind) {
  const bool counter = kind == MeterKind::energy_counter;
  const double tick_s = static_cast<double>(counter ? tick_ns : sample_ns) * 1e-9;
  return {.source = counter ? "simulated-counter" : "simulated-samples",
          .name = "simulated gpu",
          .scope = Scope::gpu,
          .quantity = counter ? Quantity::energy_j : Quantity::power_w,
          .tick_s = tick_s,
          .averaging_s = tick_s,
          .duty = 1,
          .value_step = smallest_step};
}

/// Returns the number of whole periods before `ns`, rounded down; negative before 0.
int64_t periods(int64_t ns, int64_t period_ns) {
  return ns / period_ns - (ns % period_ns < 0 ? 1 : 0);
}

int64_t part_of(int64_t ns, uint64_t hash) {
  return static_cast<int64_t>(static_cast<double>(ns) * fraction(hash));
}

/// Base of both kinds of meters. Readings are numbered from time 0 of the clock on. Each has a later time at
/// which it is seen.
class SimulatedMeter : public Meter {
 public:
  SimulatedMeter(SimulatedDevice& device, MeterKind kind, int64_t history_ns)
      : Meter(facts_of(kind)),
        device_(device),
        history_ns_(history_ns),
        fault_at_ns_(device.clock().now_ns() + fault_ns) {
    device_.chip().history().keep(needed_from_ns_);
  }
  std::optional<DeviceState> state() override {
    const SimulatedChip& chip = device_.chip();
    DeviceState state{.sm_clock_mhz = chip.clock_hz() * 1e-6, .temperature_c = chip.temperature_c()};
    state.throttle_reasons.emplace();
    if (chip.clock_hz() < SimulatedPower::highest_hz) state.throttle_reasons->push_back("power limit");
    return state;
  }

 protected:
  uint64_t seed() const { return device_.program().spec.seed; }
  Health health() const { return device_.program().spec.meter; }
  int64_t fault_at_ns() const { return fault_at_ns_; }
  double joules_at(int64_t ns) { return device_.chip().history().joules_at(ns); }
  /// Returns the energy that the sensor measures between two times, in J: the period times the mean of its
  /// samples, or the exact energy if the sensor integrates.
  double sensed_j(int64_t from_ns, int64_t to_ns) {
    const double rate_hz = device_.program().spec.sensor_rate;
    if (rate_hz == 0) return joules_at(to_ns) - joules_at(from_ns);
    const double phase = fraction(mix(seed(), 0x5e25));
    const auto samples_before = [&](int64_t ns) {
      return static_cast<int64_t>(std::ceil(static_cast<double>(ns) * 1e-9 * rate_hz - phase));
    };
    double watts = 0;
    const int64_t first = samples_before(from_ns), end = samples_before(to_ns);
    for (int64_t sample = first; sample < end; ++sample)
      watts += device_.chip().history().watts_at(
          std::llround((static_cast<double>(sample) + phase) / rate_hz * 1e9));
    return watts / static_cast<double>(end - first) * static_cast<double>(to_ns - from_ns) * 1e-9;
  }

  virtual int64_t seen_ns(int64_t number) const = 0;
  virtual MeterValue reading(int64_t number) = 0;

  /// Begins with the first reading that is seen after the current time and has at least this `number`.
  void start_at(int64_t number) {
    while (seen_ns(number) <= device_.clock().now_ns()) ++number;
    next_ = number;
    *needed_from_ns_ = seen_ns(next_) - history_ns_;
  }

 private:
  std::vector<MeterValue> fetch() override {
    std::vector<MeterValue> readings;
    const int64_t known_ns = std::min(device_.chip().now_ns(), device_.clock().now_ns());
    for (; seen_ns(next_) <= known_ns; ++next_) {
      readings.push_back(reading(next_));
      readings.back().unix_ns = readings.back().steady_ns + unix_begin_ns;
    }
    *needed_from_ns_ = seen_ns(next_) - history_ns_;
    return readings;
  }

  SimulatedDevice& device_;
  int64_t history_ns_;
  int64_t fault_at_ns_;
  int64_t next_ = 0;
  std::shared_ptr<int64_t> needed_from_ns_ = std::make_shared<int64_t>(0);
};

class EnergyCounter final : public SimulatedMeter {
 public:
  explicit EnergyCounter(SimulatedDevice& device)
      : SimulatedMeter(device, MeterKind::energy_counter, 2 * tick_ns + poll_most_ns),
        phase_ns_(part_of(tick_ns, mix(seed(), 0x71c4))) {
    start_at(periods(device.clock().now_ns() - poll_most_ns, poll_ns) - 1);
  }

 private:
  int64_t begin_ns(int64_t poll) const {
    return poll * poll_ns + part_of(poll_varies_ns, mix(seed(), 0xbe61, static_cast<uint64_t>(poll)));
  }
  int64_t seen_ns(int64_t poll) const override {
    const uint64_t hash = mix(seed(), 0x9011, static_cast<uint64_t>(poll));
    return begin_ns(poll) + poll_least_ns + part_of(poll_most_ns - poll_least_ns, hash);
  }

  MeterValue reading(int64_t poll) override {
    const int64_t moved_ns = periods(begin_ns(poll) - phase_ns_, tick_ns) * tick_ns + phase_ns_;
    const bool stands = moved_ns == moved_ns_ || (moved_ns >= fault_at_ns() && health() == Health::frozen);
    if (!stands) value_j_ = counter_j(moved_ns);
    return {.steady_ns = seen_ns(poll), .value = value_j_, .requested_ns = begin_ns(poll)};
  }

  double counter_j(int64_t moved_ns) {
    sensed_j_ += moved_ns_ ? sensed_j(*moved_ns_, moved_ns) : joules_at(moved_ns);
    moved_ns_ = moved_ns;
    double joules = sensed_j_;
    if (health() == Health::resets && moved_ns >= fault_at_ns()) {
      if (!lost_j_) lost_j_ = joules;
      joules -= *lost_j_;
    }
    return std::floor(joules / smallest_step) * smallest_step;
  }

  int64_t phase_ns_;
  std::optional<int64_t> moved_ns_;  ///< time of the counter's last change
  double sensed_j_ = 0, value_j_ = 0;
  std::optional<double> lost_j_;  ///< energy that the counter lost by its reset
};

class PowerSamples final : public SimulatedMeter {
 public:
  explicit PowerSamples(SimulatedDevice& device)
      : SimulatedMeter(device, MeterKind::power_samples, 3 * sample_ns),
        phase_ns_(part_of(sample_ns, mix(seed(), 0x5a3b))) {
    start_at(periods(device.clock().now_ns() - phase_ns_, sample_ns) - 1);
  }

 private:
  int64_t end_ns(int64_t sample) const { return phase_ns_ + sample * sample_ns; }
  int64_t seen_ns(int64_t sample) const override {
    return end_ns(sample) + part_of(sample_ns, mix(seed(), 0x1a7e, static_cast<uint64_t>(sample)));
  }

  MeterValue reading(int64_t sample) override {
    const int64_t end = end_ns(sample);
    if (end < fault_at_ns() || health() != Health::frozen) {
      const double watts = sensed_j(end - sample_ns, end) / (static_cast<double>(sample_ns) * 1e-9);
      value_w_ = std::round(watts / smallest_step) * smallest_step;
    }
    return {.steady_ns = end, .value = value_w_};
  }

  int64_t phase_ns_;
  double value_w_ = 0;
};

}  // namespace

std::unique_ptr<Meter> make_simulated_meter(SimulatedDevice& device, SimulatedMeterKind kind) {
  if (device.program().spec.meter == Health::none)
    throw Error("the simulated device has no meter", "leave meter=none out of its SPEC");
  if (kind == MeterKind::energy_counter) return std::make_unique<EnergyCounter>(device);
  return std::make_unique<PowerSamples>(device);
}

}  // namespace kjoule
