#include "simulated/truth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "simulated/device.hpp"

namespace kjoule {
namespace {

struct Mean {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double standard_error() const { return std::sqrt((squares / count - mean() * mean()) / count); }
};

/// Mean of each of a Sequence's timed segments, or of the Iteration.
std::vector<Mean> replay_often(SimulatedDevice& device, const TrackSpec& spec, int repeats) {
  device.begin_round(0);
  const auto track = device.open(spec);
  track->enqueue(repeats);
  const std::vector<double> seconds = track->wait().seconds;
  std::vector<Mean> means(seconds.size() / static_cast<size_t>(repeats));
  for (size_t i = 0; i < seconds.size(); ++i) means[i % means.size()].add(seconds[i]);
  return means;
}

Sequence in_one_segment(size_t launches) {
  Sequence sequence{{Segment{{}, std::vector<LaunchIndex>(launches)}}};
  std::iota(sequence.segments[0].timed.begin(), sequence.segments[0].timed.end(), 0);
  return sequence;
}

TEST(Truth, IsTheSumOfItsParts) {
  const SimulatedProgram program = make_simulated_program(parse_simulated_spec("seed=3"));
  const Truth truth = truth_of(program);
  EXPECT_NEAR(std::accumulate(truth.launch_s.begin(), truth.launch_s.end(), 0.0) / truth.whole_s, 1, 1e-12);
  EXPECT_GT(truth.eager_s, truth.whole_s);
  EXPECT_GT(*std::min_element(truth.launch_s.begin(), truth.launch_s.end()), 0);
}

TEST(Truth, OfKernelsIsTheSumOverTheirPlaces) {
  SimulatedDevice device(parse_simulated_spec("seed=3"));
  const Truth truth = truth_of(device.program());
  KernelTable table;
  table.kernels.resize(2);
  for (LaunchIndex i = 0; i < truth.launch_s.size(); ++i) table.kernels[i % 2].places.push_back(i);
  const std::vector<double> seconds = truth.kernel_s(table);
  ASSERT_EQ(seconds.size(), 2u);
  EXPECT_NEAR((seconds[0] + seconds[1]) / truth.whole_s, 1, 1e-12);
}

TEST(Truth, IsTheMeanOfManyReplaysOfEachLaunch) {
  SimulatedDevice device(parse_simulated_spec("seed=13,edges=clean,drift=0"));
  const Truth truth = truth_of(device.program());
  Sequence each;
  for (LaunchIndex i = 0; i < truth.launch_s.size(); ++i) each.segments.push_back({{}, {i}});
  const std::vector<Mean> means = replay_often(device, each, 4000);
  for (size_t i = 0; i < means.size(); ++i)
    EXPECT_NEAR(means[i].mean(), truth.launch_s[i], 6 * means[i].standard_error()) << "launch " << i;
}

TEST(Truth, IsTheMeanOfManyWholes) {
  SimulatedDevice device(parse_simulated_spec("seed=12,drift=0,edges=clean"));
  const Truth truth = truth_of(device.program());
  const Mean whole = replay_often(device, in_one_segment(truth.launch_s.size()), 4000)[0];
  EXPECT_NEAR(whole.mean(), truth.whole_s, 5 * whole.standard_error());
  EXPECT_LT(whole.standard_error(), 1e-3 * truth.whole_s);
}

TEST(Truth, IsTheMeanOfManyIterations) {
  for (const char* spec : {"seed=3,drift=0", "seed=11,drift=0", "seed=12,drift=0,edges=clean"}) {
    SimulatedDevice device(parse_simulated_spec(spec));
    const Truth truth = truth_of(device.program());
    const Mean eager = replay_often(device, Iteration{}, 4000)[0];
    EXPECT_NEAR(eager.mean(), truth.eager_s + truth.edge_s, 5 * eager.standard_error()) << spec;
  }
}

TEST(Truth, CleanEdgesMakeTheIterationTheWhole) {
  const Truth truth = truth_of(make_simulated_program(parse_simulated_spec("edges=clean")));
  EXPECT_EQ(truth.edge_s, 0);
  EXPECT_NEAR(truth.eager_s / truth.whole_s, 1, 1e-12);
}

}  // namespace
}  // namespace kjoule
