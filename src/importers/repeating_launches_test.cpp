#include "importers/repeating_launches.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kjoule {
namespace {

/// The launches of a program. The host pauses before launches for the times that the test gives, in us, with
/// scatter.
class Program {
 public:
  struct Pause {
    double least_us = 0, most_us = 0;
  };

  Program& layers(int number, Pause after_each) {
    for (int i = 0; i < number; ++i) {
      for (uint64_t kernel = 0; kernel < 5; ++kernel) launch(kernel);
      pause(after_each);
    }
    return *this;
  }
  Program& pause(Pause pause) {
    now_us_ += std::uniform_real_distribution(pause.least_us, pause.most_us)(random_);
    return *this;
  }
  Program& launch(uint64_t kernel) { return launch(kernel, kernel); }
  Program& launch(uint32_t name, uint32_t signature) {
    launches_.push_back({signature, name, static_cast<int64_t>(now_us_ * 1e3)});
    return pause({4, 7});
  }
  size_t launches() const { return launches_.size(); }
  std::optional<Repetition> found() const { return find_repetition(launches_); }

 private:
  std::vector<LaunchMoment> launches_;
  double now_us_ = 1000;
  std::mt19937 random_{3};
};

TEST(RepeatingLaunches, PausesBetweenEqualLayersLeaveItOpenWhatTheIterationIs) {
  for (const int iterations : {3, 40, 800}) {
    Program program;
    for (int i = 0; i < iterations; ++i) program.layers(12, {50, 150}).pause({400, 600});
    const auto found = program.found();
    ASSERT_TRUE(found) << iterations;
    EXPECT_EQ(found->length, 5u);
    EXPECT_EQ(found->longer_pause_every, 12u) << iterations;
  }
}

TEST(RepeatingLaunches, AlsoWhereTheTraceBeginsWithinAnIteration) {
  const auto found = Program()
                         .layers(4, {50, 150})
                         .pause({400, 600})
                         .layers(12, {50, 150})
                         .pause({400, 600})
                         .layers(12, {50, 150})
                         .found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->longer_pause_every, 12u);
}

TEST(RepeatingLaunches, AlsoWhereLayersPauseInTheirMiddle) {
  Program program;
  for (int iteration = 0; iteration < 3; ++iteration) {
    for (int layer = 0; layer < 12; ++layer) program.launch(1).launch(2).pause({50, 150}).launch(3);
    program.pause({400, 600});
  }
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->longer_pause_every, 12u);
}

TEST(RepeatingLaunches, LayersWithoutPausesBetweenThemAreOneIteration) {
  Program program;
  for (int i = 0; i < 3; ++i) program.layers(12, {}).pause({400, 600});
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 60u);
  EXPECT_EQ(found->longer_pause_every, 0u);
}

/// A tenth of the pauses are up to a millisecond instead of 100 to 200 us: in short traces a few of those
/// happen to stand at equal distances.
TEST(RepeatingLaunches, PausesThatScatterAreSeldomADoubt) {
  int doubted = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    Program program;
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 4 + seed % 30; ++i) program.layers(1, {100, random() % 10 == 0 ? 1000. : 200});
    doubted += program.found()->longer_pause_every > 0;
  }
  EXPECT_LE(doubted, 60);
}

/// One pass of a network: equal layers between an embedding and a head. In each layer, the launches from
/// `steady` on have signatures of this pass only, as those of attention to a growing cache do.
Program& pass(Program& program, uint64_t variant, uint64_t steady, int layers = 24) {
  constexpr uint64_t kOfVariant = 1000;
  program.launch(50);
  for (int layer = 0; layer < layers; ++layer)
    for (uint64_t kernel = 0; kernel < 15; ++kernel)
      program.launch(kernel, kernel < steady ? kernel : kernel + kOfVariant * variant);
  return program.launch(51).launch(52).pause({400, 600});
}
constexpr size_t kPass = 24 * 15 + 3;

TEST(RepeatingLaunches, StepsOfADecoderAreEqualInNamesAndTheirPromptIsNot) {
  Program program;
  pass(program, 99, 0);
  for (uint64_t step = 1; step <= 20; ++step) pass(program, step, 12);
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_iteration());
  EXPECT_TRUE(found->by_name);
  EXPECT_EQ(found->length, kPass);
  EXPECT_EQ(found->times(), 20u);
  EXPECT_EQ(found->begins.front(), kPass);
  ASSERT_TRUE(found->next_best);
  EXPECT_EQ(found->next_best->length, 15u);
  EXPECT_EQ(found->next_best->times(), 24u);
}

/// Libraries choose other kernels as the cache grows.
TEST(RepeatingLaunches, AlsoIfAFewNamesDiffer) {
  Program program;
  for (uint64_t step = 1; step <= 20; ++step) {
    pass(program, step, 12, 23);
    program.launch(60 + step / 7).launch(70 + step / 3);
  }
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_iteration());
  EXPECT_EQ(found->length, 23u * 15 + 5);
  EXPECT_GE(found->times(), 19u);
}

TEST(RepeatingLaunches, ASmallerLastBatchIsNoIteration) {
  for (const int batches : {4, 9, 40}) {
    Program program;
    for (int i = 0; i < batches; ++i) pass(program, 1, 3);
    const auto found = pass(program, 2, 3).found();
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->is_iteration());
    EXPECT_EQ(found->length, kPass);
    EXPECT_EQ(found->times(), static_cast<size_t>(batches));
    EXPECT_EQ(found->begins.front(), 0u);
  }
}

TEST(RepeatingLaunches, OnePassIsNotItsLayers) {
  Program program;
  const auto found = pass(program, 1, 15).found();
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_iteration());
  EXPECT_EQ(found->doubt, RepetitionDoubt::no_pauses);
  EXPECT_EQ(found->length, 15u);
  EXPECT_EQ(found->times(), 24u);
}

/// In this program, the host also pauses before each layer.
TEST(RepeatingLaunches, NorIfTheHostPausesBeforeEachLayer) {
  Program encoder;
  encoder.launch(50).layers(24, {30, 40});
  ASSERT_TRUE(encoder.found());
  EXPECT_EQ(encoder.found()->doubt, RepetitionDoubt::short_pauses);
  Program network;
  network.launch(50).layers(24, {100, 150}).launch(51).launch(52);
  ASSERT_TRUE(network.found());
  EXPECT_EQ(network.found()->doubt, RepetitionDoubt::others_follow);
  EXPECT_GE(network.found()->times(), 23u);
}

TEST(RepeatingLaunches, ExtraLaunchesInterruptIterationsOnly) {
  std::mt19937 random(5);
  Program program;
  for (int i = 0; i < 300; ++i) {
    pass(program, 1, 15);
    if (random() % 15 == 0) program.launch(77);
  }
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_iteration());
  EXPECT_EQ(found->length, kPass);
  EXPECT_EQ(found->times(), 300u);
}

TEST(RepeatingLaunches, MicroBatchesBelongToTheirStep) {
  Program program;
  for (int step = 0; step < 12; ++step) {
    for (int batch = 0; batch < 4; ++batch) pass(program, 1, 15, 6);
    for (int parameter = 0; parameter < 30; ++parameter) program.launch(90);
    program.pause({400, 600});
  }
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 4u * (6 * 15 + 3) + 30);
  EXPECT_GE(found->times(), 11u);
}

/// An autotuner flushes the cache and launches a kernel, over and over.
TEST(RepeatingLaunches, AutotuningIsNoIteration) {
  Program program;
  for (uint64_t kernel = 0; kernel < 20; ++kernel) {
    for (int i = 0; i < 150; ++i) program.launch(40).launch(100 + kernel);
    program.launch(41);
  }
  EXPECT_FALSE(program.found()->is_iteration());
  for (int i = 0; i < 120; ++i) pass(program, 1, 15);
  const auto found = program.found();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_iteration());
  EXPECT_EQ(found->length, kPass);
  EXPECT_EQ(found->times(), 120u);
}

/// A layer whose first kernels are a CUDA graph (number `graph`), before two other launches.
void add_layer_in_graph(std::vector<LaunchMoment>& launches, uint32_t graph, size_t of_graph) {
  const int64_t begin_ns = launches.empty() ? 1000 : launches.back().host_ns + 200'000;
  for (uint32_t kernel = 0; kernel < of_graph; ++kernel)
    launches.push_back({kernel, kernel, begin_ns, graph, true});
  for (uint32_t kernel = 100; kernel < 102; ++kernel)
    launches.push_back({kernel, kernel, launches.back().host_ns + 5'000, {}, true});
}

TEST(RepeatingLaunches, GraphsOfLayersAreNoIterations) {
  for (const uint32_t layers : {6u, 28u, 80u}) {
    std::vector<LaunchMoment> launches;
    for (uint32_t layer = 0; layer < layers; ++layer) add_layer_in_graph(launches, layer, 4);
    const auto found = find_repetition(launches);
    ASSERT_TRUE(found) << layers;
    EXPECT_EQ(found->doubt, RepetitionDoubt::graph_pieces) << layers;
  }
}

TEST(RepeatingLaunches, GraphsOfWholeIterationsAre) {
  std::vector<LaunchMoment> launches;
  for (uint32_t iteration = 0; iteration < 10; ++iteration) {
    const int64_t begin_ns = iteration * 1'000'000;
    launches.push_back({50, 50, begin_ns, {}, false});  // a copy of the inputs
    for (uint32_t kernel = 0; kernel < 30; ++kernel)
      launches.push_back({kernel, kernel, begin_ns + 20'000, iteration, true});
  }
  const auto found = find_repetition(launches);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_iteration());
  EXPECT_EQ(found->times(), 10u);
}

}  // namespace
}  // namespace kjoule
