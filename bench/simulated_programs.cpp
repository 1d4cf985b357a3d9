// Runs the estimator on simulated programs, whose truth is known, and writes one CSV row a program:
// does each 95 % interval cover the truth, and how far is the sum off? The depth of the noise is drawn from
// 0.02 to 0.3, so that most programs stop when they are precise, and others at the time limit.
//
// usage: simulated-programs FIRST_SEED COUNT [SPEC]      e.g. simulated-programs 1000000 3000 edges=draining
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "measure/time/estimate.hpp"
#include "measure/time/rounds.hpp"
#include "simulated/device.hpp"
#include "simulated/truth.hpp"

namespace {

using namespace kjoule;

struct Row {
  size_t launches = 0, kernels = 0, kernels_covered = 0;
  bool long_reuse = false, sum_covered = false;
  int rounds = 0;
  double error_percent = 0, half_width_percent = 0, kernel_difference_percent = 0,
         kernel_half_width_percent = 0;
};

Row run(const std::string& spec) {
  SimulatedDevice device(parse_simulated_spec(spec));
  const Recording recording = device.record();
  const KernelTable table = kernel_table(recording);
  const Truth truth = truth_of(device.program());
  const TimedIteration iteration = timed_iteration(recording, {});
  std::vector<Round> rounds;
  device.begin_round(-1);
  const Plan plan = make_plan(device, iteration);
  RoundOptions options;
  measure_rounds(
      device, device.clock(), iteration, plan, options, rounds, [](const Round&) {}, *silent_progress());
  const SumEstimate sum = estimate(table, iteration, rounds);

  Row row;
  row.launches = iteration.launches;
  row.kernels = table.kernels.size();
  row.long_reuse = device.program().long_reuse;
  row.rounds = sum.rounds;
  const double ratio = sum.sum_s.value / sum.whole_s.value;
  // Shares of the whole, because the device's speed drifts: the truth of the sum is 1.
  row.error_percent = 100 * (ratio - 1);
  row.half_width_percent = 100 * sum.relative_half_width();
  row.sum_covered = std::abs(ratio - 1) <= sum.relative_half_width();
  const std::vector<double> kernels = truth.kernel_s(table);
  for (size_t k = 0; k < kernels.size(); ++k) {
    const double true_share = kernels[k] / truth.whole_s;
    const double apart = std::abs(sum.kernel_s[k].value / sum.whole_s.value - true_share);
    const double half_width = sum.kernel_s[k].half_width / sum.whole_s.value;
    if (apart <= half_width) ++row.kernels_covered;
    row.kernel_difference_percent += 100 * apart;
    row.kernel_half_width_percent += 100 * half_width;
  }
  return row;
}

/// Returns the depth of a program's noise, evenly distributed on a logarithmic scale.
double noise_of(long seed) {
  constexpr double kLeast = 0.02, kMost = 0.3;
  std::mt19937_64 random(static_cast<uint64_t>(seed));
  const double share = static_cast<double>(random() >> 11) * 0x1p-53;
  return kLeast * std::pow(kMost / kLeast, share);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: simulated-programs FIRST_SEED COUNT [SPEC]\n");
    return 2;
  }
  fmt::print(
      "seed,noise,launches,kernels,long_reuse,rounds,error_percent,half_width_percent,sum_covered,"
      "kernels_covered,kernel_difference_percent,kernel_half_width_percent\n");
  const long first = std::atol(argv[1]);
  for (long seed = first; seed < first + std::atol(argv[2]); ++seed) {
    const double noise = noise_of(seed);
    const Row row = run(
        fmt::format("seed={},noise={:.4f}{}{}", seed, noise, argc > 3 ? "," : "", argc > 3 ? argv[3] : ""));
    fmt::print("{},{:.4f},{},{},{:d},{},{:.5f},{:.5f},{:d},{},{:.5f},{:.5f}\n", seed, noise, row.launches,
               row.kernels, row.long_reuse, row.rounds, row.error_percent, row.half_width_percent,
               row.sum_covered, row.kernels_covered, row.kernel_difference_percent,
               row.kernel_half_width_percent);
  }
  return 0;
}
