#include "simulated/power.hpp"

#include <algorithm>

#include "simulated/program.hpp"
#include "simulated/random.hpp"
#include "simulated/stream.hpp"

namespace kjoule {
namespace {

constexpr double highest_launch_w = 950;

/// Power of the steady iteration before energies are scaled.
struct UnscaledPower {
  double whole_w = 0;           ///< mean dynamic power of the whole
  double highest_launch_w = 0;  ///< highest dynamic power of a launch
  double busy_share = 0;        ///< share of the time in which launches run; above 1 if they overlap
};

UnscaledPower measure_unscaled_power(const SimulatedProgram& program) {
  const auto launches = static_cast<LaunchIndex>(program.launches.size());
  SimulatedStream stream(program);
  UnscaledPower iteration;
  double whole_j = 0, whole_s = 0, busy_s = 0;
  for (const SimulatedStream::Parts& parts : replay_to_steady_state(stream, launches)) {
    whole_j += parts.dynamic_j();
    whole_s += parts.total_s();
    busy_s += parts.body_s;
    iteration.highest_launch_w = std::max(iteration.highest_launch_w, parts.dynamic_j() / parts.body_s);
  }
  iteration.whole_w = whole_j / whole_s;
  iteration.busy_share = busy_s / whole_s;
  return iteration;
}

/// Scales the energies so that the whole has a dynamic power of `whole_w` and no launch more than `most_w`.
/// If scaling alone would exceed `most_w`, a constant power of all launches is part of it.
void scale(SimulatedPower& power, const UnscaledPower& iteration, double whole_w, double most_w) {
  double factor = whole_w / iteration.whole_w;
  if (factor * iteration.highest_launch_w > most_w) {
    // Solves factor x whole + busy x share = whole_w and factor x highest + busy = most_w.
    factor = (most_w * iteration.busy_share - whole_w) /
             (iteration.highest_launch_w * iteration.busy_share - iteration.whole_w);
    power.busy_w = most_w - factor * iteration.highest_launch_w;
  }
  power.flop_j *= factor;
  power.hit_byte_j *= factor;
  power.miss_byte_j *= factor;
}

}  // namespace

void draw_power(SimulatedProgram& program) {
  Draws draws(mix(program.spec.seed, 0x90e7));
  SimulatedPower& power = program.power;
  power.limit_w = program.spec.power_limit;
  power.idle_w = draws.between(70, 90);
  power.flop_j = draws.between(300, 600) / program.machine.flops_per_s;
  power.hit_byte_j = draws.between(100, 250) / program.machine.hit_bytes_per_s;
  power.miss_byte_j = draws.between(100, 300) / program.machine.miss_bytes_per_s;
  power.cold_c = draws.between(28, 38);
  power.kelvin_a_watt = draws.between(0.006, 0.01);
  const double whole_w = draws.between(250, 650);
  scale(power, measure_unscaled_power(program), whole_w - power.idle_w, highest_launch_w - power.idle_w);
  power.warm_c = power.settled_c(std::min(power.settled_w(whole_w), power.limit_w));
}

}  // namespace kjoule
