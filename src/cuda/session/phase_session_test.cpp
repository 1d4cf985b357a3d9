#include "cuda/session/phase_session.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace kjoule::cuda {
namespace {

/// Returns the identity of a launch. A letter is a kernel; an upper-case letter is the same kernel with
/// another grid.
LaunchIdentity launch_of(char letter) {
  return {static_cast<uint64_t>(letter), static_cast<uint64_t>(letter | 0x20)};
}

std::vector<ExpectedLaunch> expected(std::string_view letters, bool by_name = false) {
  std::vector<ExpectedLaunch> launches;
  for (const char letter : letters)
    launches.push_back({by_name ? launch_of(letter).name_hash : launch_of(letter).exact_hash, by_name});
  return launches;
}

PhasePattern phase(uint32_t number, std::string_view iteration, std::string_view before = "",
                   uint64_t occurrence = 0) {
  return {number, expected(before), expected(iteration), occurrence};
}

/// Makes launches, and collects the initial of each step: begin, record, abandon, end; a dot means pass.
class Launcher {
 public:
  explicit Launcher(const std::vector<PhasePattern>& phases) : session(phases) {}
  std::string steps(std::string_view letters) {
    std::string text;
    for (const char letter : letters)
      text += ".brae"[static_cast<int>(
          session.next({.time_ns = time_ns_ += 1000, .identity = launch_of(letter)}))];
    return text;
  }
  PhaseSession session;

 private:
  int64_t time_ns_ = 0;
};

TEST(PhaseSession, RecordsAPhaseOnce) {
  Launcher run({phase(1, "abc")});
  EXPECT_EQ(run.steps("xyabc"), "..brr");
  EXPECT_TRUE(run.session.is_complete());
  EXPECT_EQ(run.session.phase(), 1U);
  EXPECT_FALSE(run.session.go_on());
  EXPECT_EQ(run.steps("abc"), "...");
}

TEST(PhaseSession, TheLaunchesBeforeItAndTheirNumberTellWhichOneItIs) {
  Launcher run({phase(1, "ab", "x", 2)});
  EXPECT_EQ(run.steps("abxabxababxabab"), "...........bre.");
}

TEST(PhaseSession, PhasesAreRecordedAsTheProgramComesToThem) {
  Launcher run({phase(1, "cd"), phase(2, "ab")});
  EXPECT_EQ(run.steps("xab"), ".br");
  EXPECT_EQ(run.session.phase(), 2U);
  EXPECT_EQ(run.steps("y"), "e") << "where nobody asks is_complete()";
  EXPECT_TRUE(run.session.go_on());
  EXPECT_EQ(run.steps("abcd"), "..br");
  EXPECT_EQ(run.session.phase(), 1U);
}

TEST(PhaseSession, AnotherLaunchAbandonsTheRecordingAndALaterOneIsTaken) {
  Launcher run({phase(1, "abc")});
  EXPECT_EQ(run.steps("abxabc"), "brabrr");
}

TEST(PhaseSession, APhaseThatDiffersEachTimeIsGivenUp) {
  Launcher run({phase(1, "abc"), phase(2, "z")});
  EXPECT_EQ(run.steps("abxabxabxabcz"), "brabrabra...b");
}

TEST(PhaseSession, APhaseThatWasGivenUpIsStillExpected) {
  Launcher run({phase(1, "abc"), phase(2, "z")});
  EXPECT_EQ(run.steps("abxabxabxz"), "brabrabrab");
  EXPECT_TRUE(run.session.go_on()) << "the program's end says that it did not come";
  EXPECT_EQ(run.steps("abc"), "...");
  EXPECT_EQ(run.session.best_guess(), "the program did not repeat these phases of its first run: 1");
}

TEST(PhaseSession, GridsThatDifferAreFoundByName) {
  PhasePattern pattern{1, {}, expected("a"), 0};
  pattern.iteration.push_back(expected("b", true).front());
  Launcher run({pattern});
  EXPECT_EQ(run.steps("AbaB"), "..br");
}

TEST(PhaseSession, TheIterationsDirectlyBeforeItAreTimed) {
  Launcher run({phase(1, "ab", "ab", 3)});
  EXPECT_EQ(run.steps("ababxabababab"), "...........br") << "after three others with one before them";
  EXPECT_EQ(run.session.passed_iterations(), (std::vector<IterationSpan>{{8'000, 10'000}, {10'000, 12'000}}));
}

/// Returns a pattern of five launches: the first is the lead, and the last two are the tail.
PhasePattern pass() {
  PhasePattern pattern = phase(1, "abcde");
  pattern.lead = 1;
  pattern.tail = 2;
  pattern.iteration[0].launches = 7;  // a graph
  return pattern;
}

TEST(PhaseSession, LeadAndTailOfAPassAreRecordedButNotMeasured) {
  Launcher run({pass()});
  EXPECT_EQ(run.steps("xabcd"), ".brrr");
  EXPECT_FALSE(run.session.is_complete());
  EXPECT_EQ(run.steps("e"), "r");
  EXPECT_TRUE(run.session.is_complete());
  EXPECT_EQ(run.session.edges(), (WindowEdges{7, 2}));
  EXPECT_EQ(run.session.describe_iteration(), "2 launches of phase 1");
}

TEST(PhaseSession, AnotherTailEndsTheRecordingOfAPass) {
  Launcher run({pass()});
  EXPECT_EQ(run.steps("xab"), ".br");
  EXPECT_FALSE(run.session.may_end()) << "a measured launch is missing";
  EXPECT_EQ(run.steps("cd"), "rr");
  EXPECT_TRUE(run.session.may_end());
  EXPECT_EQ(run.steps("z"), "e");
  EXPECT_EQ(run.session.edges(), (WindowEdges{7, 1}));
  EXPECT_FALSE(run.session.go_on());
}

TEST(PhaseSession, APhaseThatDoesNotComeIsNamed) {
  Launcher run({phase(3, "abc"), phase(4, "abd")});
  run.steps("xyz");
  EXPECT_EQ(run.session.best_guess(), "the program did not repeat these phases of its first run: 3, 4");
}

}  // namespace
}  // namespace kjoule::cuda
