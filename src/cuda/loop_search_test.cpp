#include "cuda/loop_search.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace kjoule::cuda {
namespace {

/// A program that launches kernels, watched by a search for loops of 0.2 s.
class SearchedProgram {
 public:
  LoopSearch search{0.2};

  void launch(uint64_t kernel, uint64_t memory) {
    now_ns_ += kernel == 1 ? 50'000 : 10'000;  // the host waits before each iteration
    search.add({kernel, memory, now_ns_, launches_++, false});
  }
  /// Runs iterations of that many launches, each with its own memory, until they are found.
  IterationPosition run_until_found(uint64_t length) {
    for (;;)
      for (uint64_t i = 0; i < length; ++i) {
        launch(i + 1, i + 1);
        if (const auto found = search.found(launches_)) return *found;
      }
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
