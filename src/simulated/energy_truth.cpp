#include "simulated/energy_truth.hpp"

#include "simulated/random.hpp"
#include "simulated/steady.hpp"

namespace kjoule {
namespace {

/// Returns the cost of each launch of the steady iteration.
std::vector<SteadyRepeat> steady_launches(const SimulatedProgram& program) {
  const auto launches = static_cast<LaunchIndex>(program.launches.size());
  SimulatedStream stream(program);
  std::vector<SteadyRepeat> each;
  for (const SimulatedStream::Parts& parts : replay_to_steady_state(stream, launches))
    each.emplace_back().add(parts);
  return each;
}

/// The clock and temperature at which the whole settles.
class SettledState {
 public:
  SettledState(const SimulatedProgram& program, const std::vector<SteadyRepeat>& launches)
      : power_(program.power), slower_(ParetoNoise::mean(program.machine.noise)) {
    for (const SteadyRepeat& launch : launches) {
      whole_.compute_s += launch.compute_s;
      whole_.other_s += launch.other_s;
      whole_.compute_j += launch.compute_j;
      whole_.memory_j += launch.memory_j;
    }
    if (watts(clock_) > power_.limit_w) lower_clock();
    temperature_c_ = power_.settled_c(watts(clock_));
  }

  double clock() const { return clock_; }  ///< share of the highest clock
  double temperature_c() const { return temperature_c_; }
  double seconds(const SteadyRepeat& launch) const { return slower_ * launch.seconds(clock_); }
  double joules(const SteadyRepeat& launch) const {
    return (power_.idle_w * clock_ * seconds(launch) + launch.dynamic_j(clock_)) *
           power_.heat_factor(temperature_c_);
  }

 private:
  double watts(double clock) const {
    return power_.settled_w(power_.idle_w * clock +
                            whole_.dynamic_j(clock) / (slower_ * whole_.seconds(clock)));
  }

  /// Finds the clock at which the power is equal to the limit, by bisection.
  void lower_clock() {
    double low = SimulatedPower::lowest_hz / SimulatedPower::highest_hz;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = (low + clock_) / 2;
      (watts(middle) > power_.limit_w ? clock_ : low) = middle;
    }
  }

  SimulatedPower power_;
  double slower_;
  SteadyRepeat whole_;
  double clock_ = 1;
  double temperature_c_ = 0;
};

}  // namespace

EnergyTruth energy_truth_of(const SimulatedProgram& program) {
  const std::vector<SteadyRepeat> launches = steady_launches(program);
  const SettledState settled(program, launches);
  EnergyTruth truth;
  for (const SteadyRepeat& launch : launches) {
    truth.launch_j.push_back(settled.joules(launch));
    truth.whole_j += truth.launch_j.back();
    truth.whole_s += settled.seconds(launch);
  }
  truth.whole_w = truth.whole_j / truth.whole_s;
  truth.temperature_c = settled.temperature_c();
  truth.clock_hz = settled.clock() * SimulatedPower::highest_hz;
  return truth;
}

}  // namespace kjoule
