#pragma once

namespace kjoule {

struct SimulatedProgram;

/// What the machine draws, like an H200: its chip and the program decide. The dynamic energy of a launch at
/// the highest clock is
///
///   flops x e_flop + bytes hit x e_hit + bytes missed x e_miss + body x P_busy
///
/// and idle power counts on top of it, always. All of it rises with the temperature.
struct SimulatedPower {
  double idle_w = 0;         ///< at the temperature at which the idle chip settles; 70 to 90
  double flop_j = 0;         ///< with the next two scaled so that the whole draws 250 to 650 W
  double hit_byte_j = 0;     ///< at the hit rate 100 to 250 W before that scale
  double miss_byte_j = 0;    ///< at the miss rate 100 to 300 W before that scale
  double busy_w = 0;         ///< drawn whatever a launch does; not 0 where one would draw over 950 W else
  double limit_w = 0;        ///< the spec's
  double cold_c = 0;         ///< where the idle chip settles; 28 to 38
  double kelvin_a_watt = 0;  ///< by how much more power warms it in the end; 0.006 to 0.01
  double warm_c = 0;         ///< where the whole settles, played again and again

  static constexpr double rise_a_kelvin = 0.005;  ///< of all power
  static constexpr double warming_s = 8;          ///< time constant
  static constexpr double governed_s = 0.05;      ///< over which the governor averages
  static constexpr double highest_hz = 1.98e9;
  static constexpr double lowest_hz = 0.345e9;
  static constexpr double clock_step_hz = 15e6;
  static constexpr double wrong_values_share = 0.8;  ///< of a launch's dynamic energy

  /// How much more is drawn at that temperature than by the cold chip.
  double heat_factor(double temperature_c) const { return 1 + rise_a_kelvin * (temperature_c - cold_c); }
  /// Where what would draw that much on the cold chip settles.
  double settled_w(double cold_w) const {
    // Solves w = cold_w (1 + rise x warmth x (w - idle)).
    const double rise_a_watt = rise_a_kelvin * kelvin_a_watt;
    return cold_w * (1 - rise_a_watt * idle_w) / (1 - rise_a_watt * cold_w);
  }
  double settled_c(double watts) const { return cold_c + kelvin_a_watt * (watts - idle_w); }
};

/// Draws the program's power from its seed, by itself: no other draw moves.
void draw_power(SimulatedProgram& program);

}  // namespace kjoule
