#pragma once
#include <cstdint>

#include "simulated/energy_history.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// The energy, temperature and clock of the simulated machine over time. A governor lowers the clock to keep
/// the mean power below the limit. The temperature follows the power with the time constant `warming_s`, and
/// the governor's mean power follows the power with the time constant `governed_s`. The clock is a multiple
/// of 15 MHz. It changes by at most 15 MHz per millisecond; the change is slower the closer the mean power is
/// to the limit, so that the clock settles.
class SimulatedChip {
 public:
  explicit SimulatedChip(const SimulatedPower& power);

  int64_t now_ns() const { return now_ns_; }
  /// Consumes `dynamic_j` of dynamic energy, evenly from now until `ns`, in addition to idle power. The clock
  /// does not change.
  void draw_until(int64_t ns, double dynamic_j) { draw(ns, dynamic_j, false); }
  /// Consumes energy like draw_until(), while the governor adjusts the clock.
  void draw_governed_until(int64_t ns, double dynamic_j) { draw(ns, dynamic_j, true); }
  /// Resets the chip to a new one that has been idle until `ns`.
  void restart_at(int64_t ns);
  /// Consumes only idle power until `ns`. If `ns` is earlier than now, time restarts at `ns`.
  void idle_until(int64_t ns);
  /// Sets the temperature to `temperature_c`, the mean power to idle power, and the clock to its highest
  /// value.
  void rest(double temperature_c);

  double clock_hz() const;
  double temperature_c() const { return temperature_c_; }
  /// Returns the energy consumed since construction.
  EnergyHistory& history() { return history_; }

 private:
  void begin_at(int64_t ns);
  void draw(int64_t ns, double dynamic_j, bool governed);
  void govern(double seconds);
  bool is_rested() const;

  const SimulatedPower power_;
  EnergyHistory history_;
  int64_t now_ns_ = 0;
  double drawn_j_ = 0;
  /// Energy, J, that was consumed in less time than the resolution of the clock; it is added to the next
  /// consumption.
  double unspread_j_ = 0;
  double temperature_c_;
  double mean_w_;
  double wanted_hz_ = SimulatedPower::highest_hz;  ///< clock before rounding down to a multiple of 15 MHz
};

}  // namespace kjoule
