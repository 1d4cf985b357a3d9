#pragma once
#include <cstdint>

#include "simulated/energy_history.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// The simulated machine's power over time: energy, temperature, and the clock by which a governor keeps the
/// mean power under the limit. Temperature follows power with `warming_s`; the governor's mean with
/// `governed_s`. The clock is a multiple of 15 MHz and changes by at most 15 MHz a millisecond, slower the
/// nearer the mean is to the limit, so that it settles.
class SimulatedChip {
 public:
  explicit SimulatedChip(const SimulatedPower& power);

  int64_t now_ns() const { return now_ns_; }
  /// Draws that much dynamic energy, evenly from now until `ns`, on top of idle power; the clock stays.
  void draw_until(int64_t ns, double dynamic_j) { draw(ns, dynamic_j, false); }
  /// The same while the governor watches.
  void draw_governed_until(int64_t ns, double dynamic_j) { draw(ns, dynamic_j, true); }
  /// Draws idle power only. When `ns` is earlier than now, time begins anew there.
  void idle_until(int64_t ns);
  /// Puts the chip at that temperature, rested and at its highest clock.
  void rest(double temperature_c);

  double clock_hz() const;
  double temperature_c() const { return temperature_c_; }
  /// What it has drawn since it was made.
  EnergyHistory& history() { return history_; }

 private:
  void begin_at(int64_t ns);
  void draw(int64_t ns, double dynamic_j, bool governed);
  void govern(double seconds);
  bool rested() const;

  const SimulatedPower power_;
  EnergyHistory history_;
  int64_t now_ns_ = 0;
  double drawn_j_ = 0;
  double unspread_j_ = 0;  ///< came in less time than the clock can tell, and is drawn with what comes next
  double temperature_c_;
  double mean_w_;
  double wanted_hz_ = SimulatedPower::highest_hz;  ///< the clock before it is rounded down
};

}  // namespace kjoule
