#pragma once

namespace kjoule {

struct SimulatedProgram;

/// The power model of a simulated program on its machine, which is similar to an H200. The dynamic energy of
/// a launch at the highest clock is
///
///   flops x flop_j + bytes hit x hit_byte_j + bytes missed x miss_byte_j + body x busy_w
///
/// where "hit" and "missed" refer to the cache, and body is the launch's time without its gap. Idle power,
/// which is proportional to the clock, is always added. All power rises with the temperature. Ranges in the
/// comments below are those of random values.
struct SimulatedPower {
  double idle_w = 0;  ///< idle power at cold_c and the highest clock; 70 to 90
  /// Energy of one FLOP, in J. It is scaled together with hit_byte_j and miss_byte_j, so that the whole
  /// consumes 250 to 650 W.
  double flop_j = 0;
  double hit_byte_j = 0;   ///< energy of a byte hit; 100 to 250 W at the hit rate, before scaling
  double miss_byte_j = 0;  ///< energy of a byte missed; 100 to 300 W at the miss rate, before scaling
  double busy_w = 0;       ///< constant power of launches, W; 0 unless a launch would exceed 950 W without it
  double limit_w = 0;      ///< the power limit of the spec
  double cold_c = 0;       ///< temperature at which the idle chip settles; 28 to 38
  /// Rise of the settled temperature per watt above idle power, in K; 0.006 to 0.01.
  double kelvin_a_watt = 0;
  double warm_c = 0;  ///< temperature at which the repeated whole settles

  static constexpr double rise_a_kelvin = 0.005;  ///< rise of all power per kelvin, as a share
  static constexpr double warming_s = 8;          ///< time constant of the temperature
  static constexpr double governed_s = 0.05;      ///< time constant of the governor's mean power
  static constexpr double highest_hz = 1.98e9;
  static constexpr double lowest_hz = 0.345e9;
  static constexpr double clock_step_hz = 15e6;
  /// Share of its dynamic energy that a launch consumes if its input values differ from the program's.
  static constexpr double wrong_values_share = 0.8;

  /// Returns the ratio of the power at this temperature to that of the cold chip.
  double heat_factor(double temperature_c) const { return 1 + rise_a_kelvin * (temperature_c - cold_c); }
  /// Returns the power at which work settles if it would consume `cold_w` on the cold chip.
  double settled_w(double cold_w) const {
    // Solves w = cold_w (1 + rise x warmth x (w - idle)).
    const double rise_a_watt = rise_a_kelvin * kelvin_a_watt;
    return cold_w * (1 - rise_a_watt * idle_w) / (1 - rise_a_watt * cold_w);
  }
  /// Returns the temperature at which the chip settles with this power.
  double settled_c(double watts) const { return cold_c + kelvin_a_watt * (watts - idle_w); }
};

/// Sets the program's power model from its seed, independently of all other random numbers.
void draw_power(SimulatedProgram& program);

}  // namespace kjoule
