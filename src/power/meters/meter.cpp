#include "power/meters/meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "power/plausible_power.hpp"

namespace kjoule {

namespace {

constexpr double kUnchangedTicks = 10;

}  // namespace

const char* unit_of(Quantity quantity) {
  return quantity == Quantity::power_w ? "W" : "J";
}

const char* scope_name(Scope scope) {
  switch (scope) {
    case Scope::gpu:
      return "GPU";
    case Scope::cpu:
      return "CPU";
    case Scope::system:
      return "whole system";
    case Scope::unknown:
      return "unknown";
  }
  return "unknown";
}

std::optional<std::string> too_short_message(const MeterFacts& facts, double window_s) {
  const double least_s = kAveragingTimes * facts.averaging_s;
  if (window_s >= least_s) return {};
  return fmt::format("{} s is too short for {}, which averages over {} s: choose {} s or more", window_s,
                     facts.name, facts.averaging_s, least_s);
}

std::vector<MeterValue> Meter::read() {
  std::vector<MeterValue> good;
  for (const MeterValue& reading : fetch()) {
    if (!plausible(reading)) continue;
    check_change(reading);
    last_ = reading;
    good.push_back(reading);
  }
  return good;
}

void Meter::identify(const std::string& device, const std::string& id, std::optional<Calibration> calibration,
                     std::optional<SensorRate> sensor_rate) {
  facts_.device = device;
  facts_.id = id;
  facts_.calibration = std::move(calibration);
  facts_.sensor_rate = std::move(sensor_rate);
}

std::vector<std::string> Meter::take_notes() {
  return std::exchange(notes_, {});
}

void Meter::pass_on(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (std::find(reported_.begin(), reported_.end(), note) != reported_.end()) continue;
    reported_.push_back(note);
    notes_.push_back(note);
  }
}

void Meter::note_once(const std::string& text) {
  if (std::find(reported_.begin(), reported_.end(), text) != reported_.end()) return;
  reported_.push_back(text);
  note(text);
}

bool Meter::plausible(const MeterValue& reading) {
  if (!std::isfinite(reading.value) || reading.value < 0) {
    note_once("it reports values that are negative or not numbers; they are ignored");
    return false;
  }
  const bool power = facts_.quantity == Quantity::power_w;
  // A meter at the socket shows 0 W when nothing is plugged in.
  if (power && reading.value == 0 && facts_.scope != Scope::system) {
    note_once("it reports 0 W, which is not a reading and is ignored");
    return false;
  }
  if (power && !is_plausible(reading.value, facts_.scope)) {
    note_once("it reports " + describe_implausible(reading.value, facts_.scope) + "; this is ignored");
    return false;
  }
  if (last_ && reading.steady_ns <= last_->steady_ns) {
    if (reading.unix_ns < last_->unix_ns)
      note_once("it reports readings whose times are before those of earlier ones; they are ignored");
    return false;
  }
  return true;
}

void Meter::check_change(const MeterValue& reading) {
  const bool counter = facts_.quantity == Quantity::energy_j;
  if (counter && last_ && reading.value < last_->value)
    note(
        fmt::format("its counter jumped back from {:.3f} J to {:.3f} J; the energy of this time is not known",
                    last_->value, reading.value));
  if (!last_ || reading.value != last_->value) {
    changed_ns_ = reading.steady_ns;
    unchanged_reported_ = false;
    return;
  }
  const double unchanged_s = static_cast<double>(reading.steady_ns - changed_ns_) * 1e-9;
  if (unchanged_reported_ || unchanged_s < kUnchangedTicks * facts_.tick_s || !(counter || load_)) return;
  unchanged_reported_ = true;
  note(fmt::format("its value has been {} {} for {:.1f} s, although it should change every {} s",
                   reading.value, unit_of(facts_.quantity), unchanged_s, facts_.tick_s));
}

}  // namespace kjoule
