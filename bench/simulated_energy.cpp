// Measures the energy of simulated programs, whose truth is known, and writes one CSV row a program: does
// each 95 % interval cover the truth, and how far is the sum off?
//
// usage: simulated-energy FIRST_SEED COUNT [SPEC]      e.g. simulated-energy 1000001 3000
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "measure/energy/cache_choice.hpp"
#include "measure/energy/energy_estimate.hpp"
#include "measure/energy/energy_measurement.hpp"
#include "measure/time/rounds.hpp"
#include "simulated/device.hpp"
#include "simulated/energy_truth.hpp"
#include "simulated/meter.hpp"

namespace {

using namespace kjoule;

SumEstimate times_of(SimulatedDevice& device, const Recording& recording, const KernelTable& table) {
  std::vector<Round> rounds;
  device.begin_round(-1);
  const TimedIteration iteration = timed_iteration(recording, {});
  const Plan plan = make_plan(device, iteration);
  RoundOptions options;
  measure_rounds(
      device, device.clock(), iteration, plan, options, rounds, [](const Round&) {}, *silent_progress());
  return estimate(table, iteration, rounds);
}

std::string row(long seed, const std::string& spec) {
  SimulatedDevice device(parse_simulated_spec(spec));
  const Recording recording = device.record();
  const KernelTable table = kernel_table(recording);
  const EnergyTruth truth = energy_truth_of(device.program());
  const SumEstimate times = times_of(device, recording, table);
  const auto counter = make_simulated_meter(device, SimulatedMeterKind::energy_counter);
  counter->take_sensor_rate(SensorRate{"simulated", "", "", Interval{1100, 1}, ""});
  MeterRecord record(*counter);
  const EnergyOptions options;
  EnergyPlan plan = make_energy_plan(energy_groups(table, times, {}, options.time_limit_s, counter->facts()),
                                     times.whole_s.value, counter->facts());
  choose_caches(device, plan);
  read_restoring(device, {&record, 1}, plan);
  std::vector<EnergyBlock> blocks;
  const int64_t begin_ns = device.clock().now_ns();
  measure_energy(
      device, {&record, 1}, plan, options, blocks, [](const EnergyBlock&) {}, *silent_progress());
  const double took_s = static_cast<double>(device.clock().now_ns() - begin_ns) * 1e-9;
  const auto energy = estimate_energy(plan, blocks, 0);
  if (!energy)
    return fmt::format("{},{},{:d},{},,,,,,,,,\n", seed, table.kernel_of.size(), device.program().long_reuse,
                       took_s);
  const double share = energy->sum_j.value / energy->whole_j.value;
  const std::vector<double> kernels = truth.kernel_j(table);
  int covered = 0;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    double true_j = 0;
    for (const uint32_t kernel : plan.groups[g].kernels) true_j += kernels[kernel];
    const Interval& found = energy->groups[g].joules;
    covered += std::abs(found.value / energy->whole_j.value - true_j / truth.whole_j) <=
               found.half_width / energy->whole_j.value;
  }
  return fmt::format(
      "{},{},{:d},{:.2f},{},{:.5f},{:.5f},{:d},{:.5f},{:.5f},{},{},{:.1f}\n", seed, table.kernel_of.size(),
      device.program().long_reuse, took_s, blocks.size(), 100 * (share - 1),
      100 * energy->relative_half_width(), std::abs(share - 1) <= energy->relative_half_width(),
      100 * (energy->whole_j.value / truth.whole_j - 1),
      100 * (energy->sum_w.value / energy->whole_w.value - 1), plan.groups.size(), covered, truth.whole_w);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: simulated-energy FIRST_SEED COUNT [SPEC]\n");
    return 2;
  }
  fmt::print(
      "seed,launches,long_reuse,simulated_s,blocks,error_percent,half_width_percent,sum_covered,whole_error_"
      "percent,"
      "power_error_percent,groups,groups_covered,whole_w\n");
  const long first = std::atol(argv[1]);
  for (long seed = first; seed < first + std::atol(argv[2]); ++seed)
    fmt::print("{}",
               row(seed, fmt::format("seed={}{}{}", seed, argc > 3 ? "," : "", argc > 3 ? argv[3] : "")));
  return 0;
}
