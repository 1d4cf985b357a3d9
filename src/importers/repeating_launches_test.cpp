#include "importers/repeating_launches.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kjoule {
namespace {

/// What a program launches whose host pauses for the times that the test gives, in us, scattered.
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
  Program& launch(uint64_t kernel) {
    launches_.push_back({kernel, static_cast<int64_t>(now_us_ * 1e3)});
    return pause({4, 7});
  }
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

}  // namespace
}  // namespace kjoule
