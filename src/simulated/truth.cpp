#include "simulated/truth.hpp"

#include "simulated/random.hpp"
#include "simulated/stream.hpp"

namespace kjoule {

Truth truth_of(const SimulatedProgram& program) {
  const double mean = ParetoNoise::mean(program.machine.noise);
  const auto launches = static_cast<LaunchIndex>(program.launches.size());
  SimulatedStream stream(program);
  Truth truth;
  for (const SimulatedStream::Parts& parts : replay_to_steady_state(stream, launches))
    truth.launch_s.push_back(mean * parts.total_s());
  for (LaunchIndex i = 0; i < launches; ++i) {
    truth.whole_s += truth.launch_s[i];
    truth.eager_s += truth.launch_s[i] + mean * program.launches[i].host_gap_s;
  }
  if (program.spec.can_time_between_launches) return truth;
  double drained_iteration_s = mean * stream.replay_drained(0).total_s();
  for (LaunchIndex i = 1; i < launches; ++i) drained_iteration_s += mean * stream.replay_s(i);
  truth.edge_s = drained_iteration_s - truth.whole_s;
  return truth;
}

std::vector<double> by_kernel(const std::vector<double>& launches, const KernelTable& table) {
  std::vector<double> sums;
  for (const Kernel& kernel : table.kernels) {
    sums.push_back(0);
    for (const LaunchIndex place : kernel.places) sums.back() += launches[place];
  }
  return sums;
}

}  // namespace kjoule
