#include "schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace kjoule::inject {
namespace {

/// Memory of a few pages and launches that read some and overwrite some, in place too.
struct Program {
  struct Launch {
    std::vector<int> reads, writes;
  };
  std::vector<Launch> launches;
  using Memory = std::map<int, uint64_t>;

  static uint64_t mix(uint64_t a, uint64_t b) {
    return (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xbf58476d1ce4e5b9ULL;
  }
  uint64_t inputs(size_t launch, const Memory& memory) const {
    uint64_t seen = launch + 1;
    for (const int page : launches[launch].reads) seen = mix(seen, memory.at(page));
    return seen;
  }
  void play(size_t launch, Memory& memory) const {
    const uint64_t seen = inputs(launch, memory);
    for (const int page : launches[launch].writes) memory[page] = mix(seen, static_cast<uint64_t>(page));
  }
};

constexpr int kPages = 6;

Program any_program() {
  Program program;
  const auto pages = rc::gen::container<std::vector<int>>(rc::gen::inRange(0, kPages));
  const int launches = *rc::gen::inRange(1, 40);
  for (int i = 0; i < launches; ++i) program.launches.push_back({*pages, *pages});
  return program;
}

/// Every state of the first iterations.
struct Truth {
  std::vector<Program::Memory> states;
  explicit Truth(const Program& program) {
    Program::Memory memory;
    for (int page = 0; page < kPages; ++page) memory[page] = static_cast<uint64_t>(page) * 77;
    const int n = static_cast<int>(program.launches.size());
    states.push_back(memory);
    for (int p = 0; p < 3 * n + 20; ++p) {
      program.play(static_cast<size_t>(p % n), memory);
      states.push_back(memory);
    }
  }
};

/// Plays the steps as a device would: putting back copies only the pages that launches in between wrote.
void put_back(const Program& program, const Truth& truth, const PutBack& step, Program::Memory& memory) {
  const int n = static_cast<int>(program.launches.size());
  for (int p = step.from - 1; p >= step.to; --p)
    for (const int page : program.launches[static_cast<size_t>(p % n)].writes)
      memory[page] = truth.states[static_cast<size_t>(p)].at(page);
}

Sequence in_order_with_windows(int launches, int window) {
  Sequence sequence;
  for (int i = 0; i < launches; ++i) {
    Segment segment;
    for (int b = std::min(window, launches - 1); b > 0; --b)
      segment.timed.push_back(static_cast<LaunchIndex>((i + launches - b) % launches));
    if (!segment.timed.empty()) sequence.segments.push_back(segment);
    segment.timed.push_back(static_cast<LaunchIndex>(i));
    sequence.segments.push_back(segment);
  }
  return sequence;
}

RC_GTEST_PROP(Schedule, LaunchesOfASweepMeetTheirTrueInputs, ()) {
  const Program program = any_program();
  const int n = static_cast<int>(program.launches.size());
  const Truth truth(program);
  Program::Memory memory = truth.states.front();
  for (const ScheduleStep& step : schedule(in_order_with_windows(n, *rc::gen::inRange(0, 6)), n)) {
    if (const auto* back = std::get_if<PutBack>(&step)) put_back(program, truth, *back, memory);
    if (const auto* play = std::get_if<PlayLaunch>(&step)) {
      const uint64_t seen = program.inputs(play->launch, memory);
      bool met = false;
      for (size_t p = play->launch; p < truth.states.size(); p += static_cast<size_t>(n))
        met |= seen == program.inputs(play->launch, truth.states[p]);
      RC_ASSERT(met);
      program.play(play->launch, memory);
    }
  }
  RC_ASSERT(memory == truth.states.front());
}

/// Repeats out of turn (a kernel again and again, many iterations in one stretch) spoil nothing that follows.
RC_GTEST_PROP(Schedule, AnySequenceEndsInTheFirstState, ()) {
  const Program program = any_program();
  const int n = static_cast<int>(program.launches.size());
  const Truth truth(program);
  const auto some = rc::gen::container<std::vector<LaunchIndex>>(
      rc::gen::inRange<LaunchIndex>(0, static_cast<LaunchIndex>(n)));
  Sequence sequence;
  for (int s = *rc::gen::inRange(0, 6); s > 0; --s) sequence.segments.push_back({*some, *some});
  Program::Memory memory = truth.states.front();
  int edges = 0;
  for (const ScheduleStep& step : schedule(sequence, n)) {
    if (const auto* back = std::get_if<PutBack>(&step)) put_back(program, truth, *back, memory);
    if (const auto* play = std::get_if<PlayLaunch>(&step)) program.play(play->launch, memory);
    edges += std::holds_alternative<Edge>(step);
  }
  RC_ASSERT(memory == truth.states.front());
  RC_ASSERT(edges == static_cast<int>(2 * sequence.segments.size()));
}

TEST(Schedule, PutsNothingBackBetweenTheLaunchesOfASegment) {
  const auto steps = schedule({{Segment{{}, {2, 2, 2}}}}, 4);
  const std::vector<ScheduleStep> expected{PlayLaunch{0}, PlayLaunch{1}, Edge{0, true},  PlayLaunch{2},
                                           PlayLaunch{2}, PlayLaunch{2}, Edge{0, false}, PutBack{3, 0}};
  EXPECT_EQ(steps, expected);
}

TEST(Schedule, TakesTheNextIterationsStateWhereThatIsNearer) {
  // the window of launch 0 is the iteration's end
  const auto steps = schedule({{Segment{{}, {2, 3}}, Segment{{}, {2, 3, 0}}, Segment{{}, {3, 0}}}}, 4);
  const std::vector<ScheduleStep> expected{
      PlayLaunch{0}, PlayLaunch{1}, Edge{0, true}, PlayLaunch{2}, PlayLaunch{3},  Edge{0, false},
      PutBack{4, 2}, Edge{1, true}, PlayLaunch{2}, PlayLaunch{3}, PlayLaunch{0},  Edge{1, false},
      PutBack{5, 3}, Edge{2, true}, PlayLaunch{3}, PlayLaunch{0}, Edge{2, false}, PutBack{5, 0}};
  EXPECT_EQ(steps, expected);
}

}  // namespace
}  // namespace kjoule::inject
