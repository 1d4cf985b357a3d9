#include "simulated/chip.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {
namespace {

constexpr int64_t idle_step_ns = 1'000'000;
/// Gain of the governor. For compute-bound work 1 MHz is about 1 W. Because the mean power lags, the clock
/// overshoots slightly, once.
constexpr double governor_hz_a_joule = 1e7;
constexpr double fastest_hz_a_s = SimulatedPower::clock_step_hz / 1e-3;

/// Returns the share of the distance to its target by which a value changes in `seconds` with this time
/// constant. The formula is stable for any step and gives the same bits on every machine.
double progress(double seconds, double constant_s) {
  return seconds / (constant_s + seconds);
}

}  // namespace

SimulatedChip::SimulatedChip(const SimulatedPower& power)
    : power_(power), temperature_c_(power.cold_c), mean_w_(power.idle_w) {
  begin_at(0);
}

/// Restarts time at `ns`, with a history in which the chip was idle before.
void SimulatedChip::begin_at(int64_t ns) {
  history_.restart(ns - EnergyHistory::remembered_ns, drawn_j_);
  drawn_j_ += power_.idle_w * static_cast<double>(EnergyHistory::remembered_ns) * 1e-9;
  history_.add(ns, drawn_j_);
  now_ns_ = ns;
}

void SimulatedChip::restart_at(int64_t ns) {
  drawn_j_ = 0;
  rest(power_.cold_c);
  begin_at(ns);
}

void SimulatedChip::draw(int64_t ns, double dynamic_j, bool governed) {
  unspread_j_ += dynamic_j;
  if (ns <= now_ns_) return;
  const double seconds = static_cast<double>(ns - now_ns_) * 1e-9;
  const double idle_w = power_.idle_w * clock_hz() / SimulatedPower::highest_hz;
  const double watts = (idle_w + unspread_j_ / seconds) * power_.heat_factor(temperature_c_);
  unspread_j_ = 0;
  now_ns_ = ns;
  drawn_j_ += watts * seconds;
  history_.add(ns, drawn_j_);
  temperature_c_ += (power_.settled_c(watts) - temperature_c_) * progress(seconds, SimulatedPower::warming_s);
  mean_w_ += (watts - mean_w_) * progress(seconds, SimulatedPower::governed_s);
  if (governed) govern(seconds);
}

void SimulatedChip::govern(double seconds) {
  const double speed = governor_hz_a_joule * (power_.limit_w - mean_w_);
  wanted_hz_ += std::clamp(speed, -fastest_hz_a_s, fastest_hz_a_s) * seconds;
  wanted_hz_ = std::clamp(wanted_hz_, SimulatedPower::lowest_hz, SimulatedPower::highest_hz);
}

double SimulatedChip::clock_hz() const {
  return std::floor(wanted_hz_ / SimulatedPower::clock_step_hz) * SimulatedPower::clock_step_hz;
}

bool SimulatedChip::is_rested() const {
  return std::abs(temperature_c_ - power_.cold_c) < 1e-3 && wanted_hz_ == SimulatedPower::highest_hz;
}

void SimulatedChip::idle_until(int64_t ns) {
  if (ns < now_ns_) begin_at(ns);
  while (now_ns_ < ns) draw(is_rested() ? ns : std::min(ns, now_ns_ + idle_step_ns), 0, true);
}

void SimulatedChip::rest(double temperature_c) {
  temperature_c_ = temperature_c;
  mean_w_ = power_.idle_w;
  unspread_j_ = 0;
  wanted_hz_ = SimulatedPower::highest_hz;
}

}  // namespace kjoule
