#include "recording/chosen_phases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "recording/make_pattern.hpp"

namespace kjoule {
namespace {

/// A kernel's name may end with its grid: "k#2".
LaunchIdentity identity_of(const std::string& name) {
  const std::hash<std::string> hash;
  return {hash(name), hash(name.substr(0, name.find('#')))};
}

/// The log of a run on one stream, written launch by launch.
class ObservedRun {
 public:
  RunLog log;

  /// A launch of a kernel with its time; "memcpy" and "memset" are no kernels.
  void launch(const std::string& name, int64_t us = 10, uint64_t pointers = 1) {
    add_call({.value = pointers, .name = number_of(name), .operations = 1});
    add_operation(name, us);
  }
  /// A graph of these kernels, 10 us each.
  void graph(const std::vector<std::string>& nodes) {
    add_call({.name = number_of("graph"),
              .operations = static_cast<uint32_t>(nodes.size()),
              .kind = HostCallKind::graph});
    for (const std::string& node : nodes) add_operation(node, 10);
  }
  void call(HostCallKind kind) { log.calls.push_back({.kind = kind}); }
  void synchronise() { call(HostCallKind::synchronise); }
  void launch_all(const std::string& letters, int64_t us = 10) {
    for (const char letter : letters) launch(std::string(1, letter), us);
  }
  void lose_operation() { log.operations.pop_back(); }

  PhaseChoice choice(const PhaseBudget& budget = {}) const {
    return choose_phases(log, summarize(log), budget);
  }
  ChosenPhase best() const { return choice().measured.at(0); }

 private:
  void add_call(HostCall call) {
    call.correlation = ++correlation_;
    log.calls.push_back(call);
  }
  void add_operation(const std::string& name, int64_t us) {
    const OperationKind kind = name == "memcpy"   ? OperationKind::copy
                               : name == "memset" ? OperationKind::set
                                                  : OperationKind::kernel;
    log.operations.push_back({.begin_ns = now_ns_,
                              .end_ns = now_ns_ + us * 1000,
                              .name = number_of(name),
                              .correlation = correlation_,
                              .kind = kind});
    now_ns_ += us * 1000 + 500;
  }
  uint32_t number_of(const std::string& name) {
    const auto [at, is_new] = numbers_.emplace(name, static_cast<uint32_t>(numbers_.size()));
    if (is_new) {
      log.call_names.push_back(
          {.of_call = true, .number = at->second, .name = name, .identity = identity_of(name)});
      log.operation_names.push_back({.number = at->second, .name = name == "memcpy" ? "memcpy HtoD" : name});
    }
    return at->second;
  }

  std::map<std::string, uint32_t> numbers_;
  uint32_t correlation_ = 0;
  int64_t now_ns_ = 1000;
};

/// The weights of a model: copies, each with a synchronisation.
void load_weights(ObservedRun& run, int weights, int64_t each_us = 500) {
  for (int i = 0; i < weights; ++i) {
    run.launch("memcpy", each_us, static_cast<uint64_t>(1000 + i));
    run.synchronise();
  }
}

std::vector<ExpectedLaunch> expected(const std::vector<std::string>& names) {
  std::vector<ExpectedLaunch> launches;
  for (const std::string& name : names) launches.push_back({identity_of(name).exact_hash, false});
  return launches;
}

std::string letters(char first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(first + i);
  return text;
}

TEST(ChoosePhases, ASinglePassIsMeasuredWithoutTheCopiesBeforeIt) {
  ObservedRun run;
  load_weights(run, 50);
  run.launch("memcpy", 1);  // the input
  run.launch_all("abcdefgh", 100);
  run.launch("memcpy", 1);  // the output
  run.synchronise();
  const ChosenPhase part = run.best();
  EXPECT_FALSE(part.facts.is_loop);
  EXPECT_EQ(part.facts.first, 50U);
  EXPECT_EQ(part.facts.end, 60U);
  EXPECT_EQ(part.facts.measured_ns, 802'000);
  EXPECT_EQ(part.facts.part_ns, 802'000);
  EXPECT_NEAR(part.facts.run_share, 802.0 / (802 + 50 * 500), 1e-9);
  EXPECT_EQ(part.pattern.lead, 2U) << "1 ms of the weights' copies";
  EXPECT_EQ(part.pattern.tail, 0U);
  EXPECT_EQ(part.pattern.iteration,
            expected({"memcpy", "memcpy", "memcpy", "a", "b", "c", "d", "e", "f", "g", "h", "memcpy"}));
  EXPECT_EQ(part.pattern.before.size(), 48U) << "fewer of these equal copies come more than once";
  EXPECT_EQ(part.pattern.occurrence, 0U);
  EXPECT_FALSE(part.facts.iterations_differ());
}

TEST(ChoosePhases, APassHasUpTo64LaunchesBeforeAndAfterIt) {
  ObservedRun run;
  for (int i = 0; i < 100; ++i) run.launch("memcpy", 1, static_cast<uint64_t>(1000 + i));
  run.synchronise();
  run.launch_all("abcdefgh", 100);
  run.synchronise();
  for (int i = 0; i < 100; ++i) run.launch("memcpy", 1, static_cast<uint64_t>(2000 + i));
  run.synchronise();
  const ChosenPhase part = run.best();
  EXPECT_EQ(part.facts.launches(), 8U);
  EXPECT_EQ(part.pattern.lead, 64U);
  EXPECT_EQ(part.pattern.tail, 64U);
  EXPECT_EQ(part.pattern.iteration.size(), 136U);
}

TEST(ChoosePhases, ARunOfOneLaunchIsRepeatedAsItIs) {
  ObservedRun run;
  run.launch("a", 100);
  const ChosenPhase part = run.best();
  EXPECT_EQ(part.facts.launches(), 1U);
  EXPECT_EQ(part.pattern.lead + part.pattern.tail, 0U);
}

TEST(ChoosePhases, PassesThatTheHostOnlyCutsAreOne) {
  ObservedRun run;
  load_weights(run, 50);
  for (int token = 0; token < 4; ++token) {
    run.launch_all(letters(static_cast<char>('a' + 5 * token), 5), 100);
    run.launch("memcpy", 1);
    run.synchronise();
    run.launch("memcpy", 1);  // a copy by itself, between two tokens
    run.synchronise();
  }
  const ChosenPhase part = run.best();
  EXPECT_EQ(part.facts.first, 50U);
  EXPECT_EQ(part.facts.end, 50U + 3 * 7 + 6);
}

TEST(ChoosePhases, ManyCopiesSeparatePasses) {
  ObservedRun run;
  run.launch_all("ab", 100);
  run.synchronise();
  load_weights(run, 9);
  run.launch_all("cdef", 100);
  const PhaseChoice choice = run.choice();
  const auto& parts = choice.measured;
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].facts.first, 11U);
  EXPECT_EQ(parts[0].facts.end, 15U);
  EXPECT_EQ(parts[1].facts.first, 1U) << "no launch precedes the run's first one";
  EXPECT_EQ(parts[1].facts.end, 2U);
  EXPECT_EQ(parts[1].facts.part_ns, 200'000);
  EXPECT_EQ(parts[2].facts.part_ns, 9 * 500'000) << "copies alone come last, however long they take";
}

TEST(ChoosePhases, FewCopiesAloneAreNotMeasured) {
  ObservedRun run;
  run.launch_all("ab", 100'000);
  run.synchronise();
  load_weights(run, 9);
  run.launch_all("cdef", 100'000);
  const PhaseChoice choice = run.choice({1000, 0.95});
  ASSERT_EQ(choice.left.size(), 1U);
  EXPECT_EQ(choice.left[0].why, "it has no kernels, and less than 5 % of the GPU time");
  EXPECT_EQ(choice.left[0].facts.part_ns, 9 * 500'000);
}

TEST(ChoosePhases, OfALoopTheMedianIterationIsMeasured) {
  ObservedRun run;
  run.launch_all("xyz");
  run.synchronise();
  for (int i = 0; i < 20; ++i) {
    run.launch_all("ab", i == 0 ? 5000 : 100);
    run.launch("c", i == 13 ? 100 : i % 2 == 0 ? 99 : 101);
  }
  const ChosenPhase part = run.best();
  EXPECT_TRUE(part.facts.is_loop);
  EXPECT_EQ(part.facts.iterations, 20U);
  EXPECT_EQ(part.facts.first, 3U + 13 * 3);
  EXPECT_EQ(part.facts.end, 3U + 14 * 3);
  EXPECT_EQ(part.pattern.before, expected({"a", "b", "c"}));
  EXPECT_EQ(part.pattern.occurrence, 12U) << "every iteration but the first one has one before it";
  EXPECT_EQ(part.facts.measured_ns, 300'000);
  ASSERT_TRUE(part.facts.spread.has_value());
  EXPECT_NEAR(part.facts.spread->share(), 2.0 / 300, 1e-9);
  EXPECT_FALSE(part.facts.iterations_differ());
  EXPECT_EQ(part.pattern.iteration, expected({"a", "b", "c"}));
}

/// A loop of 20 iterations, each longer than the one before it.
ObservedRun growing_loop() {
  ObservedRun run;
  for (int i = 0; i < 20; ++i) run.launch_all("abc", 100 + 10 * i);
  return run;
}

TEST(ChoosePhases, IterationsThatDifferAreSampledAtEvenDistances) {
  const PhaseChoice choice = growing_loop().choice();
  ASSERT_EQ(choice.measured.size(), 5U);
  uint64_t iterations = 0;
  for (const ChosenPhase& sample : choice.measured) {
    iterations += sample.facts.iterations;
    EXPECT_TRUE(sample.facts.is_loop);
    EXPECT_TRUE(sample.facts.iterations_differ());
    EXPECT_EQ(sample.facts.samples, 5U);
    EXPECT_NEAR(sample.facts.run_share, 0.2, 0.01);
    EXPECT_EQ(sample.facts.spread->low_ns, 3 * (110'000 + 18'000));
  }
  EXPECT_EQ(iterations, 20U);
  const std::vector<uint64_t> expected_first{3 * 7, 3 * 10, 3 * 13, 3 * 15, 3 * 18};
  for (size_t i = 0; i < expected_first.size(); ++i) {
    EXPECT_EQ(choice.measured[i].facts.first, expected_first[i]) << "not among the first six iterations";
    EXPECT_EQ(choice.measured[i].pattern.number, i + 1);
    EXPECT_EQ(choice.measured[i].pattern.occurrence, expected_first[i] / 3 - 1);
  }
}

TEST(ChoosePhases, IterationsThatDifferAreSampledAfterAllOtherPhases) {
  ObservedRun run = growing_loop();
  load_weights(run, 9, 1);
  run.launch("z", 20'000);
  const PhaseChoice choice = run.choice();
  ASSERT_EQ(choice.measured.size(), 6U);
  EXPECT_EQ(choice.measured[0].facts.samples, 0U) << "the single pass is the longest of them";
  EXPECT_EQ(choice.measured[1].facts.samples, 5U);
  const PhaseChoice hurried = run.choice({.time_limit_s = 4});
  ASSERT_EQ(hurried.measured.size(), 2U);
  EXPECT_EQ(hurried.measured[0].facts.samples, 0U);
  EXPECT_EQ(hurried.measured[1].facts.iterations, 20U) << "the loop's median iteration";
}

TEST(ChoosePhases, AnIterationThatIsIncompleteIsNotMeasured) {
  ObservedRun run;
  for (int i = 0; i < 12; ++i) {
    run.launch_all("abc", i == 7 ? 150 : 100);
    if (i != 7) run.lose_operation();
  }
  const ChosenPhase part = run.best();
  EXPECT_EQ(part.facts.first, 21U);
  EXPECT_EQ(part.facts.end, 24U);
}

TEST(ChoosePhases, AGraphCountsAsItsNodes) {
  ObservedRun run;
  run.launch("a");
  for (int i = 0; i < 12; ++i) {
    run.graph({"p", "q", "memset"});
    run.launch("b");
  }
  const ChosenPhase part = run.best();
  EXPECT_EQ(part.facts.launches(), 4U);
  EXPECT_EQ((part.facts.first - 1) % 4, 0U);
  ASSERT_EQ(part.pattern.iteration.size(), 2U);
  EXPECT_EQ(part.pattern.iteration[0].launches, 3U);
}

TEST(ChoosePhases, APassWithTooManyLaunchesIsCut) {
  ObservedRun run;
  for (int i = 0; i < 60'000; ++i) {
    run.launch("k" + std::to_string(i), 1);
    if (i % 1000 == 999) run.synchronise();
  }
  const ChosenPhase part = run.best();
  EXPECT_EQ(part.facts.launches(), 49'999U);
  EXPECT_EQ(part.facts.first, 1U);
}

TEST(ChoosePhases, ThePartWithTheMostTimeComesFirst) {
  ObservedRun run;
  run.launch_all("uvwxyz", 100);
  run.synchronise();
  for (int i = 0; i < 12; ++i) run.launch_all("abc", 100);
  const auto parts = run.choice().measured;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_TRUE(parts[0].facts.is_loop);
  EXPECT_EQ(part_text(parts[0].facts),
            "launches 24..27 (one of 12 iterations of a loop with 86 % of the GPU time)");
  EXPECT_EQ(part_text(parts[1].facts), "launches 1..6 (single pass, 14 % of the GPU time)");
}

TEST(ChoosePhases, ALoopWithoutACompleteIterationIsLeft) {
  ObservedRun run;
  run.launch_all("uvwxyz", 10);
  run.synchronise();
  for (int i = 0; i < 12; ++i) {
    run.launch_all("abc", 100);
    run.lose_operation();
  }
  const PhaseChoice choice = run.choice();
  ASSERT_EQ(choice.left.size(), 1U);
  EXPECT_EQ(choice.left[0].why,
            "each of its iterations is incomplete in the profiler's log or has more than 50000 launches");
  ASSERT_EQ(choice.measured.size(), 1U);
  EXPECT_EQ(choice.measured[0].facts.end, 6U);
}

TEST(ChoosePhases, ALoopOfCopiesIsMeasuredAfterKernels) {
  ObservedRun run;
  for (int i = 0; i < 300; ++i) run.launch("memcpy", 500);
  run.synchronise();
  run.launch_all("abc");
  const PhaseChoice choice = run.choice();
  ASSERT_EQ(choice.measured.size(), 2U);
  EXPECT_EQ(choice.measured[0].facts.first, 300U);
  EXPECT_TRUE(choice.measured[1].facts.is_loop);
  EXPECT_EQ(choice.measured[1].facts.iterations, 300U);
}

/// Passes of so many microseconds, the first one of kernel a.
ObservedRun run_with_passes(const std::vector<int64_t>& times_us) {
  ObservedRun run;
  char letter = 'a';
  for (const int64_t us : times_us) {
    run.launch(std::string(1, letter++), us);
    run.synchronise();
    load_weights(run, 9, 1);
  }
  return run;
}

TEST(ChoosePhases, PhasesAreMeasuredUntilEnoughOfTheTimeIs) {
  const PhaseChoice choice = run_with_passes({5, 900, 60, 2}).choice();
  ASSERT_EQ(choice.measured.size(), 2U);
  EXPECT_EQ(choice.measured[0].facts.part_ns, 900'000);
  EXPECT_EQ(choice.measured[0].pattern.number, 1U);
  EXPECT_EQ(choice.measured[1].facts.part_ns, 60'000);
  EXPECT_EQ(choice.measured[1].pattern.number, 2U);
  ASSERT_EQ(choice.left.size(), 6U) << "two passes and the copies between all of them";
  EXPECT_EQ(choice.left[0].why,
            "it was not necessary, because the other phases contain 95 % of the GPU time");
}

TEST(ChoosePhases, TheTimeLimitIsKept) {
  const ObservedRun run = run_with_passes({200'000, 150'000, 100'000, 90'000});
  const PhaseChoice choice = run.choice({25, 0.95});
  ASSERT_EQ(choice.measured.size(), 2U) << "15 s at least for the first one, 8 s for the third one";
  EXPECT_EQ(choice.measured[1].facts.part_ns, 100'000'000);
  for (const size_t left : {0, 1})
    EXPECT_EQ(choice.left[left].why,
              "it does not fit into the time limit; --time-limit 42 suffices for all phases");
  EXPECT_EQ(run.choice({42, 0.95}).measured.size(), 4U);
  EXPECT_EQ(run.choice({41, 0.95}).measured.size(), 3U);
}

TEST(ChoosePhases, ShortTimeIsDividedAmongTheRoundsOfAllPhases) {
  const ObservedRun run = run_with_passes(std::vector<int64_t>(20, 1000));
  const PhaseChoice rich = run.choice({100, 0.95}), poor = run.choice({25, 0.95});
  ASSERT_EQ(rich.measured.size(), 20U);
  EXPECT_NEAR(rich.measured[3].rounds_s, 5 - 0.63, 1e-9);
  EXPECT_NEAR(run.choice({1000, 0.95}).measured[3].rounds_s, 8.8, 1e-9) << "8 s and 800 iterations";
  ASSERT_EQ(poor.measured.size(), 20U) << "0.63 s each, and 0.62 s for the rounds";
  EXPECT_NEAR(poor.measured[3].rounds_s, 0.62, 1e-9);
}

TEST(ChoosePhases, SmallPhasesArePreciseTogether) {
  const PhaseChoice choice = run_with_passes({640, 360, 64, 36}).choice({100, 1});
  ASSERT_EQ(choice.measured.size(), 4U);
  double variance = 0;
  for (const ChosenPhase& phase : choice.measured) {
    EXPECT_NEAR(phase.pooled_precision, std::min(2.0, std::sqrt(1 / phase.facts.run_share)), 0.13);
    variance += std::pow(phase.facts.run_share * phase.pooled_precision, 2);
  }
  EXPECT_GT(choice.measured.front().pooled_precision, 1.2);
  EXPECT_EQ(choice.measured.back().pooled_precision, 2);
  EXPECT_LE(variance, 1.1) << "the half-width of their sum is about what is requested";
}

TEST(ChoosePhases, LargePhasesAreMeasuredEvenIfTheOthersHaveEnough) {
  EXPECT_EQ(run_with_passes({950, 40, 10}).choice().measured.size(), 2U);
}

TEST(ChoosePhases, AGridThatDiffersBetweenIterationsIsFoundByName) {
  ObservedRun run;
  for (int i = 0; i < 12; ++i) run.launch_all("ab", 100);
  // The structure compares signatures; their identities differ where a launch's code or grid does.
  const RunSums sums(run.log);
  const RunPart loop{.first = 0, .launches = 24, .period = 2, .iterations = 12};
  for (size_t name = 0; name < 12; ++name)
    run.log.call_names.push_back(
        {.of_call = true, .name = "b", .identity = identity_of("b#" + std::to_string(name))});
  for (size_t i = 0; i < 12; ++i) run.log.calls[2 * i + 1].name = static_cast<uint32_t>(2 + i);
  const PhasePattern pattern = pattern_of_iteration(1, {10, 12}, loop, run.log, sums);
  EXPECT_FALSE(pattern.iteration[0].by_name);
  EXPECT_TRUE(pattern.iteration[1].by_name);
  EXPECT_EQ(pattern.iteration[1].identity_hash, identity_of("b").name_hash);
  EXPECT_EQ(pattern.occurrence, 4U);
}

TEST(ChoosePhases, CopiesAreMeasuredInARunWithoutKernels) {
  ObservedRun run;
  EXPECT_TRUE(run.choice().measured.empty()) << "nothing ran";
  load_weights(run, 2);
  const PhaseChoice choice = run.choice();
  ASSERT_EQ(choice.measured.size(), 1U);
  EXPECT_EQ(choice.measured[0].facts.launches(), 1U) << "no launch precedes the run's first one";
}

}  // namespace
}  // namespace kjoule
