#pragma once
#include <cstdint>

#include "simulated/energy_history.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// The power of the simulated machine over time: its energy, its temperature, and the clock, with which a
/// governor keeps the mean power below the limit. The temperature follows the power with the time constant
/// `warming_s`, the governor's mean power with `governed_s`. The clock is a multiple of 15 MHz. It changes by
/// at most 15 MHz per millisecond, and more slowly the nearer the mean is to the limit, so that it settles.
class SimulatedChip {
 public:
  explicit SimulatedChip(const SimulatedPower& power);

  int64_t now_ns() const { return now_ns_; }
  /// Draws `dynamic_j` of dynamic energy, evenly from now until `ns`, in addition to idle power. The clock
  /// does not change.
  void draw_until(int64_t ns, double dynamic_j) { draw(ns, dynamic_j, false); }
  /// Draws energy like draw_until(), while the governor adjusts the clock.
  void draw_governed_until(int64_t ns, double dynamic_j) { draw(ns, dynamic_j, true); }
  /// Makes this a new chip that has been idle until `ns`.
  void restart_at(int64_t ns);
  /// Draws idle power only, until `ns`. If `ns` is earlier than now, time restarts at `ns`.
  void idle_until(int64_t ns);
  /// Sets the temperature, the mean power to idle power, and the clock to its highest value.
  void rest(double temperature_c);

  double clock_hz() const;
  double temperature_c() const { return temperature_c_; }
  /// Returns the energy drawn since construction.
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
  /// Energy that was drawn in less time than the resolution of the clock; it is added to the next draw.
  double unspread_j_ = 0;
  double temperature_c_;
  double mean_w_;
  double wanted_hz_ = SimulatedPower::highest_hz;  ///< clock before it is rounded down
};

}  // namespace kjoule
