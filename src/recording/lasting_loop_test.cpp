#include "recording/lasting_loop.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace kjoule {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kLasting = 20 * kSecond;

/// A program whose launches are written down.
class WrittenProgram {
 public:
  std::vector<WatchedLaunch> launches;

  void launch(uint64_t kernel, uint64_t memory = 0, int64_t pause_ns = 10'000) {
    now_ns_ += pause_ns;
    launches.push_back({kernel, memory, now_ns_, launches.size(), false});
  }
  void wait(int64_t ns) { now_ns_ += ns; }
  /// Launches a network: blocks of the same launches with their own weights, and a head. `buffers` are the
  /// addresses of what the network computes.
  void network(uint64_t blocks, uint64_t launches_of_block, uint64_t head, uint64_t buffers = 0) {
    for (uint64_t block = 0; block < blocks; ++block)
      for (uint64_t i = 0; i < launches_of_block; ++i)
        launch(100 + i, 1000 * block + i + 1'000'000 * buffers);
    for (uint64_t i = 0; i < head; ++i) launch(500 + i, i + 1'000'000 * buffers);
  }
  std::optional<LastingLoop> found(int64_t lasting_ns = kLasting) const {
    return find_lasting_loop(launches, lasting_ns);
  }
  uint64_t found_length(int64_t lasting_ns = kLasting) const {
    const auto loop = found(lasting_ns);
    return loop ? loop->length : 0;
  }

 private:
  int64_t now_ns_ = 0;
};

TEST(LastingLoop, IsFoundDuringThePauseAfterAnIteration) {
  WrittenProgram program;
  for (int i = 0; i < 40; ++i) {
    program.wait(kSecond / 30);
    for (const uint64_t kernel : {0, 1, 2, 3, 2, 3, 0, 0}) program.launch(kernel);  // 0: equal copies
  }
  EXPECT_EQ(program.found_length(kSecond), 8u);
  const auto loop = program.found(kSecond);
  EXPECT_EQ(loop->first % 8, 0u) << "it begins after the pause";
}

/// A host that other programs hold up pauses longer where it does not wait.
TEST(LastingLoop, BeginsAfterAWaitForTheDeviceThoughAnotherPauseIsLonger) {
  WrittenProgram program;
  for (int i = 0; i < 40; ++i) {
    program.wait(kSecond / 60);
    program.launch(0);
    program.launches.back().after_wait = true;
    for (const uint64_t kernel : {1, 2, 3}) program.launch(kernel);
    program.wait(kSecond / 30);
    for (const uint64_t kernel : {4, 5}) program.launch(kernel);
  }
  const auto loop = program.found(kSecond);
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->first % 6, 0u) << "it begins after the wait";
  EXPECT_NEAR(static_cast<double>(loop->pause_ns), 1e9 / 60, 0.001e9);
}

TEST(LastingLoop, IsFoundOnceItHasLastedLongEnough) {
  WrittenProgram program;
  for (uint64_t i = 0; i < 50; ++i) program.launch(900 + i);  // weights are made
  for (int i = 0; i < 100; ++i) {
    program.wait(kSecond / 10);  // a pause before each iteration
    program.network(12, 20, 10);
  }
  EXPECT_FALSE(program.found().has_value()) << "10 of 20 s";
  for (int i = 0; i < 100; ++i) {
    program.wait(kSecond / 10);
    program.network(12, 20, 10);
  }
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->length, 250u) << "all blocks and the head";
  EXPECT_EQ((loop->first - 50) % 250, 0u) << "it begins after the pause";
  EXPECT_EQ(loop->iterations, 200u);
  EXPECT_GE(loop->repeating_share, 0.9);
  EXPECT_NEAR(static_cast<double>(loop->iteration_ns), 0.1025e9, 0.0001e9);
  EXPECT_NEAR(static_cast<double>(loop->pause_ns), 0.1e9, 0.001e9);
  EXPECT_EQ(loop->other_length, 0u);
}

TEST(LastingLoop, AnotherLoopThatLastedBeforeIsNotForgotten) {
  WrittenProgram program;
  for (int i = 0; i < 30; ++i) {
    program.wait(kSecond / 10);
    for (uint64_t k = 0; k < 3; ++k) program.launch(700 + k, 7 + k);
  }
  for (int i = 0; i < 100; ++i) {
    program.wait(kSecond / 5);
    program.network(2, 5, 1);
  }
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->length, 11u);
  EXPECT_EQ(loop->other_length, 3u);
  EXPECT_EQ(loop->other_first, 0u);
  EXPECT_EQ(loop->other_iterations, 30u);
}

TEST(LastingLoop, IdenticalBlocksAreNotTheIteration) {
  WrittenProgram program;
  for (int i = 0; i < 300; ++i) {
    program.wait(kSecond / 10);
    program.network(12, 19, 0);
  }
  EXPECT_EQ(program.found_length(), 228u);
}

TEST(LastingLoop, AFewPrintsInATrainingLoopDoNotMatter) {
  WrittenProgram program;
  for (int i = 1; i <= 330; ++i) {
    program.wait(kSecond / 10);
    program.network(12, 20, 10);
    if (i % 50 == 0) program.launch(77, 7);
  }
  EXPECT_EQ(program.found_length(), 250u);
}

TEST(LastingLoop, AnExtraLaunchNowAndThenDoesNotMatter) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    WrittenProgram program;
    for (int i = 0; i < 300; ++i) {
      if (random() % 60 == 0) program.launch(77, 7);
      program.wait(kSecond / 10);
      program.network(12, 20, 10);
    }
    for (int i = 0; i < 10; ++i) program.network(12, 20, 10);
    EXPECT_EQ(program.found_length(), 250u) << seed;
  }
}

TEST(LastingLoop, ContainsTheMicroBatchesOfAStep) {
  WrittenProgram program;
  for (int i = 0; i < 100; ++i) {
    program.wait(kSecond / 4);
    for (int batch = 0; batch < 4; ++batch) program.network(6, 10, 5);
    for (uint64_t k = 0; k < 30; ++k) program.launch(800, 5000 + k);
  }
  EXPECT_EQ(program.found_length(), 4 * 65u + 30u);
}

/// `out = model(x)` keeps the last result until the next one is there, so that buffers take turns.
TEST(LastingLoop, IsTwoIterationsWhereBuffersTakeTurnsUnlessEachIsAwaited) {
  WrittenProgram program;
  for (uint64_t i = 0; i < 300; ++i) {
    program.wait(kSecond / 10);
    program.network(2, 10, 3, i % 2);
  }
  EXPECT_EQ(program.found_length(), 46u) << "an iteration meets its own memory again after two";
  for (size_t i = 0; i < program.launches.size(); i += 23) program.launches[i].after_wait = true;
  EXPECT_EQ(program.found_length(), 23u) << "the program waits for each of them";
}

TEST(LastingLoop, AutotuningEndsBeforeItLasts) {
  WrittenProgram program;
  for (uint64_t kernel = 0; kernel < 20; ++kernel)
    for (int i = 0; i < 1500; ++i) {
      program.wait(600'000);
      program.launch(40, 1);
      program.launch(50 + kernel, 1);
    }
  EXPECT_FALSE(program.found().has_value()) << "20 loops of a second each";
}

TEST(LastingLoop, OfIterationsOfOtherLengthsTheDelimiterIsKnown) {
  WrittenProgram program;
  std::mt19937 random(5);
  for (uint64_t i = 0; i < 300; ++i) {
    program.launch(7, 7);
    for (uint64_t k = 0; k < 3 + random() % 7; ++k) program.launch(2, 2);
    program.wait(kSecond / 10);
    program.launch(3, 3);
  }
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->length, 0u);
  EXPECT_EQ(loop->begin, IterationBegin{3}) << "the launch after the pause";
  EXPECT_EQ(program.launches[loop->first].shape_hash, 3u);
  EXPECT_EQ(loop->shortest, 5u);
  EXPECT_EQ(loop->longest, 11u);
  EXPECT_NEAR(static_cast<double>(loop->iteration_ns), 0.1e9, 0.001e9);
}

TEST(LastingLoop, OfIterationsOfOtherLengthsTheDelimiterFollowsAWait) {
  WrittenProgram program;
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    program.wait(kSecond / 20);
    program.launch(3, 3);
    program.launches.back().after_wait = true;
    for (uint64_t k = 0; k < 3 + random() % 7; ++k) program.launch(2, 2);
    program.wait(kSecond / 10);
    program.launch(7, 7);
  }
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  ASSERT_EQ(loop->length, 0u) << "the iterations differ in length";
  EXPECT_EQ(loop->begin, IterationBegin{3});
}

TEST(LastingLoop, OfSeveralThreadsOneBeginsTheIterations) {
  WrittenProgram program;
  std::mt19937 random(5);
  for (uint64_t i = 0; i < 300; ++i) {
    program.wait(kSecond / 10);
    // Two threads launch 6 and 5 kernels, in a random order.
    for (uint64_t left[] = {6, 5}; left[0] + left[1] > 0;) {
      const uint64_t thread = random() % (left[0] + left[1]) < left[0] ? 0 : 1;
      program.launch(10 - left[thread], 100 * thread + left[thread]);
      program.launches.back().thread = static_cast<uint32_t>(3 + thread);
      --left[thread];
    }
  }
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->length, 0u);
  EXPECT_EQ(loop->begin.thread, 3u);
  EXPECT_EQ(loop->iterations, 300u);
  EXPECT_LE(loop->shortest, 11u);
  EXPECT_GE(loop->longest, 11u);
}

/// The host waits for the device after each step; then one thread launches the forward pass, whose buffers
/// wander, and another one the backward pass, which takes longer.
TEST(LastingLoop, AStepBeginsWithItsForwardPassThoughAnotherThreadIsBusier) {
  WrittenProgram program;
  std::mt19937 random(5);
  for (uint64_t step = 0; step < 220; ++step) {
    program.wait(kSecond / 10);
    for (uint64_t kernel = 0; kernel < 10; ++kernel) program.launch(kernel, random() % 100);
    for (uint64_t kernel = 20; kernel < 40; ++kernel) {
      program.launch(kernel, kernel);
      program.launches.back().thread = 1;
    }
    program.launch(50, 50);
  }
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->begin, (IterationBegin{0, 0}));
  EXPECT_EQ(program.launches[loop->first].shape_hash, 0u);
  EXPECT_EQ(loop->shortest, 31u);
  EXPECT_EQ(loop->longest, 31u);
  EXPECT_NEAR(static_cast<double>(loop->pause_ns), 0.1e9, 0.001e9);
}

/// Two threads, and addresses that return after three steps. The search comes when the busier thread has
/// ended the sixth one: there are two iterations of its launches, but other threads may not have ended the
/// second.
TEST(LastingLoop, OfSeveralThreadsNeedsMoreThanTwoIterations) {
  for (const uint64_t steps : {6, 7, 8, 9, 12}) {
    WrittenProgram program;
    for (uint64_t step = 0; step < steps; ++step) {
      program.wait(kLasting / 6);
      if (step % 3 == 0) program.launch(99);
      for (uint64_t kernel = 0; kernel < 2 + step % 2; ++kernel) program.launch(kernel);
      for (uint64_t kernel = 20; kernel < 40; ++kernel) {
        program.launch(kernel, 100 * kernel + step % 3);
        program.launches.back().thread = 1;
      }
    }
    const auto loop = program.found();
    EXPECT_TRUE(!loop || loop->iterations >= 2) << steps;
  }
}

TEST(LastingLoop, IterationsOfOtherLengthsWithoutDelimiterAreNotFound) {
  WrittenProgram program;
  std::mt19937 random(5);
  for (uint64_t i = 0; i < 300; ++i) {
    program.wait(kSecond / 10);
    for (uint64_t k = 0; k < 3 + random() % 7; ++k) program.launch(2, 2);
    for (uint64_t k = 0; k < 3 + random() % 7; ++k) program.launch(3, 3);
  }
  EXPECT_FALSE(program.found().has_value());
}

TEST(LastingLoop, AGraphCountsAsItsNodes) {
  WrittenProgram program;
  for (int i = 0; i < 300; ++i) {
    program.wait(kSecond / 10);
    program.launch(1, 1);
    program.launch(2, 2);
  }
  // The second launch of each iteration is a graph of 40 nodes.
  for (size_t i = 0; i < program.launches.size(); ++i) program.launches[i].number = i / 2 * 41 + i % 2;
  const auto loop = program.found();
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ(loop->length, 41u);
  EXPECT_EQ(loop->first % 41, 0u);
}

TEST(LastingLoop, NeedsAsManyLaunchesAsAreKeptWhereTheyAreFast) {
  WrittenProgram program;
  for (size_t i = 0; program.launches.size() < WatchedLaunches::kMost; ++i) program.network(2, 10, 3);
  EXPECT_LT(program.launches.back().time_ns, kLasting);
  EXPECT_EQ(program.found_length(), 23u);
}

}  // namespace
}  // namespace kjoule
