#include "importers/repetition_finder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "importers/scripted_launches.hpp"

namespace kjoule {
namespace {

size_t number(size_t low, size_t high) {
  return *rc::gen::inRange<size_t>(low, high);
}

/// Shortest length of which the whole is a repetition.
size_t primitive_length(const ScriptedLaunches& launches) {
  for (size_t length = 1; length < launches.size(); ++length) {
    bool same = launches.size() % length == 0;
    for (size_t i = length; i < launches.size() && same; ++i)
      same = launches[i].shape == launches[i - length].shape;
    if (same) return length;
  }
  return launches.size();
}

ScriptedLaunches random_launches(size_t length, size_t shapes) {
  ScriptedLaunches launches(length);
  for (ScriptedLaunch& launch : launches) launch.shape = number(0, shapes);
  return launches;
}

RC_GTEST_PROP(RepetitionFinder, FindsThePrimitivePeriodAndItsLongestPause, ()) {
  ScriptedLaunches base = random_launches(number(1, 200), number(2, 9));
  base.resize(primitive_length(base));
  const ScriptedLaunches warm_up = random_launches(number(0, 700), 12);
  const size_t start = number(0, base.size());
  base[start].pause_ns = 9000;

  ScriptedProgram program;
  program.run(warm_up);
  for (int i = 0; i < 20000 && !program.finder.found(); ++i) program.run(base);
  RC_ASSERT(program.found_length() == base.size());
  const uint64_t first = program.finder.found()->first;
  RC_ASSERT(first >= program.finder.launches());
  RC_ASSERT((first - warm_up.size()) % base.size() == start);
  // Soon: what is asked for, as much again until somebody looks, and the choice of the first launch.
  const uint64_t needed = RepetitionMinimum::with_equal_arguments(base.size());
  RC_ASSERT(program.finder.launches() <= warm_up.size() + 2 * needed + 3 * base.size() + 1024);
}

RC_GTEST_PROP(RepetitionFinder, FindsTheIterationAndNotItsLayers, ()) {
  const size_t layers = number(2, 60), per_layer = number(2, 40), head = number(1, 30);
  const ScriptedLaunches pass = layered_pass(layers, per_layer, number(1, 5), head);
  ScriptedProgram program;
  program.run(random_launches(number(0, 300), 20));
  for (int i = 0; i < 600; ++i) program.run(pass);
  RC_ASSERT(program.found_length() == pass.size());
}

RC_GTEST_PROP(RepetitionFinder, FindsMicroBatchesWithTheirOptimizerStep, ()) {
  const ScriptedLaunches batch = layered_pass(number(2, 10), number(5, 25), 2, number(1, 20));
  ScriptedLaunches step;
  const size_t batches = number(2, 6);  // of 6 and more see the next test
  for (size_t i = 0; i < batches; ++i) step.insert(step.end(), batch.begin(), batch.end());
  const size_t parameters = number(1, 60);
  for (size_t i = 0; i < parameters; ++i) step.push_back({800, 5000 + i});
  ScriptedProgram program;
  for (int i = 0; i < 60; ++i) program.run(step);
  RC_ASSERT(program.found_length() == step.size());
}

ScriptedLaunches joined(const std::vector<ScriptedLaunches>& parts) {
  ScriptedLaunches all;
  for (const ScriptedLaunches& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(RepetitionFinder, RemembersThatMicroBatchesBroke) {
  const ScriptedLaunches batch = layered_pass(12, 20, 3, 10);
  const ScriptedLaunches optimizer(30, {800, 7});
  for (size_t before = 0; before < 2000; before += 50) {  // so that it looks in all places of a step
    ScriptedProgram program;
    program.run(ScriptedLaunches(before, {3, 1}));
    // In the first step the allocator still moves its blocks, so that the eight do not repeat in all
    // arguments.
    for (uint64_t i = 1; i <= 8; ++i) program.run(layered_pass(12, 20, 3, 10, i));
    program.run(optimizer);
    for (int i = 0; i < 30; ++i) {
      for (int j = 0; j < 8; ++j) program.run(batch);
      program.run(optimizer);
    }
    EXPECT_EQ(program.found_length(), 8 * batch.size() + optimizer.size()) << before;
  }
}

TEST(RepetitionFinder, FindsIterationsWhoseAddressesVaryByALongerRun) {
  ScriptedProgram program;
  uint64_t iterations = 0;
  while (!program.finder.found() && iterations < 500) program.run(layered_pass(24, 25, 4, 14, ++iterations));
  EXPECT_EQ(program.found_length(), 614u);
  EXPECT_GE(iterations, 30000u / 614);
  EXPECT_LE(iterations, 130u);
}

TEST(RepetitionFinder, FindsIterationsWithoutArguments) {
  ScriptedProgram program;
  ScriptedLaunches pass = layered_pass(24, 25, 4, 14);
  for (ScriptedLaunch& launch : pass) launch.arguments = 0;
  for (int i = 0; i < 150; ++i) program.run(pass);
  EXPECT_EQ(program.found_length(), 614u);
}

/// `out = model(x)` keeps the last result until the next one is there, so that blocks take turns.
TEST(RepetitionFinder, TakesOneIterationWhenBuffersTakeTurns) {
  ScriptedProgram program;
  for (uint64_t i = 0; i < 30; ++i) program.run(layered_pass(24, 25, 4, 14, i % 2));
  EXPECT_EQ(program.found_length(), 614u);

  ScriptedProgram small;
  for (uint64_t i = 0; i < 600; ++i) {
    ScriptedLaunches pass = layered_pass(1, 10, 1, 0);
    for (size_t k = 7; k < 10; ++k) pass[k].arguments += i % 2;
    small.run(pass);
  }
  EXPECT_EQ(small.found_length(), 10u);
}

TEST(RepetitionFinder, TakesAllLayersOfAModelThatHasNothingElse) {
  ScriptedProgram program;
  for (int i = 0; i < 30; ++i) program.run(layered_pass(24, 25, 4, 0));
  EXPECT_EQ(program.found_length(), 600u);
}

TEST(RepetitionFinder, IsNotMisledByAutotuning) {
  const ScriptedLaunches pass = layered_pass(12, 30, 4, 20);
  ScriptedProgram program;
  program.run(ScriptedLaunches(400, {3, 0}));  // weights being made
  for (uint64_t kernel = 0; kernel < 20; ++kernel) {
    const ScriptedLaunches flush_and_kernel = {{40, 1}, {50 + kernel, 1}};
    for (int i = 0; i < 1500; ++i) program.run(flush_and_kernel);
    program.run(ScriptedLaunch{41});
  }
  EXPECT_EQ(program.found_length(), 0u);
  for (int i = 0; i < 30; ++i) program.run(pass);
  EXPECT_EQ(program.found_length(), pass.size());
}

TEST(RepetitionFinder, IsNotMisledByAnExtraLaunchNowAndThen) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    const ScriptedLaunches pass = layered_pass(12, 30, 4, 20);
    ScriptedProgram program;
    for (int i = 0; i < 1000; ++i) {
      program.run(pass);
      if (random() % 15 == 0) program.run(ScriptedLaunch{77, 7});
    }
    EXPECT_EQ(program.found_length(), pass.size()) << seed;
  }
}

TEST(RepetitionFinder, TakesALoggingStepThatComesEveryFewIterationsAsPartOfThem) {
  const ScriptedLaunches pass = layered_pass(12, 30, 4, 20);
  const ScriptedLaunches group = joined({pass, pass, pass, {{77, 7}}});
  ScriptedProgram program;
  for (int i = 0; i < 40; ++i) program.run(group);
  EXPECT_EQ(program.found_length(), group.size());
}

TEST(RepetitionFinder, FindsAnIterationInWhichGeneratorsAdvance) {
  ScriptedProgram program;
  for (uint64_t i = 0; i < 30; ++i) {
    ScriptedLaunches pass = layered_pass(12, 30, 4, 20);
    for (size_t k = 0; k < pass.size(); k += 15) pass[k].arguments = 1'000'000 + i;
    program.run(pass);
  }
  EXPECT_EQ(program.found_length(), 380u);
}

ScriptedLaunches decode_step(uint64_t step) {
  ScriptedLaunches launches = layered_pass(24, 25, 4, 14, step);
  for (size_t i = 10; i < 600; i += 25) launches[i].shape = 10000 + step;  // the grid grows with the cache
  return launches;
}

TEST(RepetitionFinder, FindsNothingWhereIterationsDiffer) {
  ScriptedProgram program;
  for (uint64_t step = 0; step < 3000; ++step) program.run(decode_step(step));
  EXPECT_EQ(program.found_length(), 0u);
}

TEST(RepetitionFinder, FindsLongIterationsAfterMillionsOfOtherLaunches) {
  ScriptedProgram program;
  for (uint64_t i = 0; i < 3'000'000; ++i) program.run(ScriptedLaunch{spread(i) % 100, i + 1});
  EXPECT_EQ(program.found_length(), 0u);
  ScriptedLaunches pass(100'050);
  for (size_t i = 0; i < pass.size(); ++i) pass[i].shape = spread(i) % 1000;
  for (int i = 0; i < 20; ++i) program.run(pass);
  EXPECT_EQ(program.found_length(), pass.size());
}

}  // namespace
}  // namespace kjoule
