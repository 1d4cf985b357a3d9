#include "cuda/session/repeating_session.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kjoule::cuda {
namespace {

/// A finder that returns a given iteration, from a given launch on.
class Told final : public IterationFinder {
 public:
  explicit Told(std::map<uint64_t, IterationPosition> finds) : finds_(std::move(finds)) {}
  void add(const WatchedLaunch&) override {}
  std::optional<IterationPosition> found(uint64_t launches) const override {
    if (finds_.empty() || launches <= finds_.begin()->first) return std::nullopt;
    return finds_.begin()->second;
  }
  void reject() override { finds_.erase(finds_.begin()); }
  std::string describe_iteration() const override { return "as told"; }
  std::string best_guess() const override { return "none"; }

 private:
  std::map<uint64_t, IterationPosition> finds_;
};

/// Returns the initial of the step for each launch ("." for pass). A letter is a shape hash.
std::string steps(Session& session, const std::string& launches) {
  std::string text;
  int64_t time_ns = 0;
  for (const char launch : launches) {
    time_ns += 1000;
    const int64_t told_ns = session.needs_time() ? time_ns : -1;
    text += ".brae"[static_cast<int>(session.next({static_cast<uint64_t>(launch), 1, told_ns}))];
  }
  return text;
}

RepeatingSession session_of(std::map<uint64_t, IterationPosition> finds, int passed) {
  return RepeatingSession(std::make_unique<Told>(std::move(finds)), passed);
}

TEST(RepeatingSession, RecordsOneIterationFromItsFirstLaunch) {
  RepeatingSession session = session_of({{5, {7, 3}}}, 0);
  EXPECT_EQ(steps(session, "xyzxyzxyzxyzxy"),  //
            ".......brre...");
  EXPECT_EQ(session.launches(), 11u) << "what comes after is not looked at";
}

TEST(RepeatingSession, LetsIterationsPassAndTimesThem) {
  RepeatingSession session = session_of({{5, {6, 3}}}, 2);
  EXPECT_EQ(steps(session, "xyzxyzxyzxyzxyzxyz"),  //
            "............brre..");
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{7000, 10000}, {10000, 13000}}));
}

TEST(RepeatingSession, RecordsTheNextIterationInstead) {
  RepeatingSession session = session_of({{5, {6, 3}}}, 1);
  EXPECT_EQ(steps(session, "xyzxyzxyzxyzx"),  //
            ".........brre");
  EXPECT_EQ(session.launches(), 13u);
  session.record_next();
  EXPECT_EQ(steps(session, "xyzx"), "brre") << "the launch that ended the first one comes again";
  EXPECT_EQ(session.launches(), 16u);
  EXPECT_EQ(session.passed_iterations(), (std::vector<IterationSpan>{{7000, 10000}}))
      << "the pause between the two is not the program's own";
}

TEST(RepeatingSession, ANextIterationThatDiffersIsAbandoned) {
  RepeatingSession session = session_of({{5, {6, 3}}}, 1);
  steps(session, "xyzxyzxyzxyzx");
  session.record_next();
  EXPECT_EQ(steps(session, "xyyx"), "bra.");
}

TEST(RepeatingSession, FillsTheQueueFirstWhereTheHostDoesNotWait) {
  for (const bool waits : {false, true}) {
    RepeatingSession session(std::make_unique<Told>(std::map<uint64_t, IterationPosition>{{5, {6, 3}}}), 1,
                             7);
    std::string text;
    int64_t time_ns = 0;
    for (const char launch : std::string("xyzxyzxyzxyzxyzxyzxyzxyz")) {
      if (waits && launch == 'x') session.wait_for_device();
      text += ".brae"[static_cast<int>(session.next({static_cast<uint64_t>(launch), 1, time_ns += 1000}))];
    }
    EXPECT_EQ(text, waits ? ".........brre..........." : "..................brre..")
        << "7 launches are 3 iterations";
    EXPECT_EQ(session.runs_ahead(), !waits);
  }
}

TEST(RepeatingSession, RunsAheadIfTheHostWaitsInSomeIterationsOnly) {
  for (const int every : {1, 3}) {
    RepeatingSession session(std::make_unique<Told>(std::map<uint64_t, IterationPosition>{{18, {21, 3}}}), 1,
                             0);
    int64_t time_ns = 0;
    for (int launch = 0; launch < 30; ++launch) {
      if (launch % (3 * every) == 0) session.wait_for_device();
      session.next({static_cast<uint64_t>(launch % 3), 1, time_ns += 1000});
    }
    EXPECT_EQ(session.runs_ahead(), every == 3);
  }
}

TEST(RepeatingSession, AGraphCountsAsItsNodes) {
  RepeatingSession session = session_of({{6, {8, 5}}}, 1);
  int64_t time_ns = 0;
  std::string text;
  // a copy, then a graph of four nodes
  for (int iteration = 0; iteration < 5; ++iteration)
    for (const uint64_t launches : {uint64_t{1}, uint64_t{4}})
      text += ".brae"[static_cast<int>(session.next({launches, launches, time_ns += 1000, launches}))];
  EXPECT_EQ(text, "..........") << "launch 8 lies within a graph: no iteration begins there";
  RepeatingSession aligned = session_of({{6, {10, 5}}}, 1);
  text.clear();
  for (int iteration = 0; iteration < 5; ++iteration)
    for (const uint64_t launches : {uint64_t{1}, uint64_t{4}})
      text += ".brae"[static_cast<int>(aligned.next({launches, launches, time_ns += 1000, launches}))];
  EXPECT_EQ(text, "......bre.");
  EXPECT_EQ(aligned.launches(), 21u);
}

TEST(RepeatingSession, AbandonsAnIterationThatComesOtherwise) {
  RepeatingSession session = session_of({{2, {3, 3}}, {10, {12, 2}}}, 1);
  EXPECT_EQ(steps(session, "xyzxyzxyQpqpqpqpqpq"),  //
            "......bra.....bre..");
}

TEST(RepeatingSession, LooksForAnotherWhenThePassedOnesDiffer) {
  RepeatingSession session = session_of({{2, {3, 3}}, {10, {12, 2}}}, 2);
  EXPECT_EQ(steps(session, "xyzxyzxQppqpqpqpqpqpq"),  //
            "................bre..");
}

}  // namespace
}  // namespace kjoule::cuda
