#include "cuda/session/loop_search.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

namespace kjoule::cuda {
namespace {

/// A program whose launches are passed to a search for loops that last 0.2 s.
class SearchedProgram {
 public:
  LoopSearch search{0.2};

  void launch(uint64_t kernel, uint64_t memory, uint32_t thread = 0) {
    now_ns_ += kernel == 1 ? 50'000 : 10'000;  // the host waits before each iteration
    search.add({kernel, memory, now_ns_, launches_++, false, thread});
  }
  /// Runs iterations of `length` launches, each launch with its own memory, until they are found.
  IterationPosition run_until_found(uint64_t length) {
    for (;;)
      for (uint64_t i = 0; i < length; ++i) {
        launch(i + 1, i + 1);
        if (const auto found = search.found(launches_)) return *found;
      }
  }
  /// Runs iterations of 31 launches, 10 of them with changing memory and 20 in another thread, and waits
  /// until a search has ended. Returns whether the search has found where the iterations begin.
  bool run_threads_until_found() {
    std::mt19937 random(5);
    for (int step = 0; step < 220; ++step) {
      now_ns_ += 1'000'000;
      for (uint64_t kernel = 0; kernel < 10; ++kernel) launch(100 + kernel, random() % 100);
      for (uint64_t kernel = 0; kernel < 20; ++kernel) launch(200 + kernel, kernel, 1);
      launch(300, 1);
    }
    for (int wait = 0; wait < 1000 && !search.loop(); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return search.begin().has_value();
  }
  uint64_t launches() const { return launches_; }

 private:
  int64_t now_ns_ = 0;
  uint64_t launches_ = 0;
};

TEST(LoopSearch, FindsTheNextIteration) {
  SearchedProgram program;
  for (uint64_t i = 0; i < 11; ++i) program.launch(100 + i, 0);
  const IterationPosition found = program.run_until_found(7);
  EXPECT_EQ(found.length, 7u);
  EXPECT_GE(found.first, program.launches());
  EXPECT_LT(found.first, program.launches() + 7);
  EXPECT_EQ((found.first - 11) % 7, 0u);
  const std::string text = program.search.describe_iteration();
  EXPECT_EQ(text.find("7 launches, which had repeated "), 0u) << text;
  EXPECT_NE(text.find("every 0.11 ms, after a pause of the host of 0.05 ms; 100 % of the launches"),
            std::string::npos)
      << text;
}

TEST(LoopSearch, SaysOneLengthOfIterationsThatDifferInOtherWays) {
  SearchedProgram program;
  ASSERT_TRUE(program.run_threads_until_found());
  const std::string text = program.search.describe_iteration();
  EXPECT_EQ(text.find("one iteration of a loop of 31 launches, which had repeated "), 0u) << text;
  EXPECT_EQ(program.search.best_guess(),
            "a loop of 31 launches ended before one of its iterations was recorded");
}

TEST(LoopSearch, LooksOnAfterARejection) {
  SearchedProgram program;
  EXPECT_EQ(program.run_until_found(7).length, 7u);
  program.search.reject();
  EXPECT_FALSE(program.search.found(program.launches()).has_value());
  const uint64_t before = program.launches();
  const IterationPosition found = program.run_until_found(5);
  EXPECT_EQ(found.length, 5u);
  EXPECT_GT(found.first, before);
}

TEST(LoopSearch, SaysThatNoLoopLasted) {
  SearchedProgram program;
  EXPECT_EQ(program.search.best_guess(), "no sequence of launches was repeated for 0.2 s");
}

}  // namespace
}  // namespace kjoule::cuda
