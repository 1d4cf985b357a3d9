#include "simulated/truth.hpp"

#include "simulated/random.hpp"
#include "simulated/stream.hpp"

namespace kjoule {

Truth truth_of(const SimulatedProgram& program) {
  const double mean = ParetoNoise::mean(program.machine.noise);
  const auto launches = static_cast<LaunchIndex>(program.launches.size());
  SimulatedStream stream(program);
  Truth truth;
  truth.launch_s.resize(launches);
  // After one iteration the cache contains what it contains after every later one; the second iteration is a
  // margin.
  for (int iteration = 0; iteration < 3; ++iteration)
    for (LaunchIndex i = 0; i < launches; ++i) truth.launch_s[i] = mean * stream.play(i);
  for (LaunchIndex i = 0; i < launches; ++i) {
    truth.whole_s += truth.launch_s[i];
    truth.eager_s += truth.launch_s[i] + mean * program.launches[i].host_gap_s;
  }
  if (program.spec.edges == SimulatedSpec::Edges::clean) return truth;
  double stretch_s = mean * stream.play_drained(0).total_s();
  for (LaunchIndex i = 1; i < launches; ++i) stretch_s += mean * stream.play(i);
  truth.edge_s = stretch_s - truth.whole_s;
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
