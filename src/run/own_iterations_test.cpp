#include "run/own_iterations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kjoule {
namespace {

/// A track whose iterations take `each_s` seconds of its own clock.
class SlowTrack final : public Track {
 public:
  explicit SlowTrack(double each_s) : each_s_(each_s) {}
  void enqueue(int repeats) override { pieces.push_back(repeats); }
  TrackTiming wait() override {
    TrackTiming timing{std::vector<double>(static_cast<size_t>(pieces.back()), each_s_), {}, now_ns_, 0};
    now_ns_ += std::llround(pieces.back() * each_s_ * 1e9);
    timing.end_ns = now_ns_;
    return timing;
  }
  std::vector<int> pieces;

 private:
  double each_s_;
  int64_t now_ns_ = 5;
};

class LastShare final : public Progress {
 public:
  void stage(const std::string&) override {}
  void update(double done) override { shares.push_back(done); }
  void finish() override {}
  std::vector<double> shares;
};

/// The numbers of iterations, as the default options with a limit of 10 s make them.
struct Ran {
  int warmup = 0;
  size_t runs = 0;
  std::vector<int> pieces;
  std::vector<double> shares;
};
Ran iterations_of(double each_s, double most_s = 10) {
  SlowTrack track(each_s);
  LastShare progress;
  RunOptions options;
  options.most_s = most_s;
  OwnIterations own(track, options, progress);
  Ran ran{own.warm_up(), 0, {}, {}};
  ran.runs = own.time(options.runs).seconds.size();
  ran.pieces = track.pieces;
  ran.shares = progress.shares;
  return ran;
}

TEST(OwnIterations, AreAsManyAsByDefaultIfTheyAreShort) {
  const Ran ran = iterations_of(1e-3);
  EXPECT_EQ(ran.warmup, 10);
  EXPECT_EQ(ran.runs, 100u);
  EXPECT_EQ(ran.pieces, (std::vector<int>{1, 9, 100})) << "no pause within the timed ones";
  EXPECT_DOUBLE_EQ(ran.shares.back(), 1);
}

TEST(OwnIterations, AreFewerIfTheyWouldTakeLongerThanTheLimit) {
  const Ran ran = iterations_of(0.3);
  EXPECT_EQ(ran.warmup, 4) << "its share of 10 s is 0.9 s";
  EXPECT_EQ(ran.warmup + static_cast<int>(ran.runs), 34);
  for (const int piece : ran.pieces) EXPECT_LE(piece, 3) << "the progress is shown every second";
  EXPECT_GE(ran.shares.back(), 1);
  EXPECT_EQ(iterations_of(0.3, std::numeric_limits<double>::infinity()).runs, 100u);
}

TEST(OwnIterations, AreOneOfEachIfOneTakesLongerThanTheLimit) {
  const Ran ran = iterations_of(100);
  EXPECT_EQ(ran.warmup, 1);
  EXPECT_EQ(ran.runs, 1u);
}

TEST(OwnIterations, FormOneBlock) {
  SlowTrack track(0.4);
  LastShare progress;
  const RunOptions options;
  const TrackTiming timed = OwnIterations(track, options, progress).time(7);
  EXPECT_EQ(timed.seconds.size(), 7u);
  EXPECT_EQ(timed.begin_ns, 5);
  EXPECT_EQ(timed.end_ns, 5 + 2'800'000'000);
}

}  // namespace
}  // namespace kjoule
