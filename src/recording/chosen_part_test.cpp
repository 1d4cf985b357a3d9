#include "recording/chosen_part.hpp"

#include <gtest/gtest.h>

#include <map>

namespace kjoule {
namespace {

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

  std::vector<ChosenPart> parts() const { return choose_parts(log, summarize(log)); }
  ChosenPart best() const { return parts().at(0); }

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
      log.call_names.push_back({true, at->second, name, {}, {}});
      log.operation_names.push_back({false, at->second, name == "memcpy" ? "memcpy HtoD" : name, {}, {}});
    }
    return at->second;
  }

  std::map<std::string, uint32_t> numbers_;
  uint32_t correlation_ = 0;
  int64_t now_ns_ = 1000;
};

/// The weights of a model: copies, each with a synchronisation.
void load_weights(ObservedRun& run, int weights) {
  for (int i = 0; i < weights; ++i) {
    run.launch("memcpy", 500, static_cast<uint64_t>(1000 + i));
    run.synchronise();
  }
}

std::vector<std::string> names_of(const ChosenPart& part) {
  std::vector<std::string> names;
  for (const PartLaunch& launch : part.launches)
    names.insert(names.end(), launch.names.begin(), launch.names.end());
  return names;
}

std::string letters(char first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += static_cast<char>(first + i);
  return text;
}

TEST(ChoosePart, ASinglePassIsMeasuredWithoutTheCopiesBeforeIt) {
  ObservedRun run;
  load_weights(run, 50);
  run.launch("memcpy", 1);  // the input
  run.launch_all("abcdefgh", 100);
  run.launch("memcpy", 1);  // the output
  run.synchronise();
  const ChosenPart part = run.best();
  EXPECT_FALSE(part.facts.is_loop);
  EXPECT_EQ(part.facts.first, 50U);
  EXPECT_EQ(part.facts.end, 60U);
  EXPECT_EQ(part.preceding, 0U);
  EXPECT_EQ(part.facts.measured_ns, 802'000);
  EXPECT_EQ(part.facts.part_ns, 802'000);
  EXPECT_NEAR(part.facts.run_share, 802.0 / (802 + 50 * 500), 1e-9);
  EXPECT_EQ(names_of(part),
            (std::vector<std::string>{"memcpy", "a", "b", "c", "d", "e", "f", "g", "h", "memcpy"}));
  EXPECT_FALSE(part.facts.iterations_differ());
}

TEST(ChoosePart, PassesThatTheHostOnlyCutsAreOne) {
  ObservedRun run;
  load_weights(run, 50);
  for (int token = 0; token < 4; ++token) {
    run.launch_all(letters(static_cast<char>('a' + 5 * token), 5), 100);
    run.launch("memcpy", 1);
    run.synchronise();
    run.launch("memcpy", 1);  // a copy by itself, between two tokens
    run.synchronise();
  }
  const ChosenPart part = run.best();
  EXPECT_EQ(part.facts.first, 50U);
  EXPECT_EQ(part.facts.end, 50U + 3 * 7 + 6);
}

TEST(ChoosePart, ManyCopiesSeparatePasses) {
  ObservedRun run;
  run.launch_all("ab", 100);
  run.synchronise();
  load_weights(run, 9);
  run.launch_all("cdef", 100);
  const auto parts = run.parts();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].facts.first, 11U);
  EXPECT_EQ(parts[0].facts.end, 15U);
  EXPECT_EQ(parts[1].facts.first, 0U);
  EXPECT_EQ(parts[1].facts.end, 2U);
}

TEST(ChoosePart, OfALoopTheMedianIterationIsMeasured) {
  ObservedRun run;
  run.launch_all("xyz");
  run.synchronise();
  for (int i = 0; i < 20; ++i) {
    run.launch_all("ab", i == 0 ? 5000 : 100);
    run.launch("c", i == 13 ? 100 : i % 2 == 0 ? 99 : 101);
  }
  const ChosenPart part = run.best();
  EXPECT_TRUE(part.facts.is_loop);
  EXPECT_EQ(part.facts.iterations, 20U);
  EXPECT_EQ(part.facts.first, 3U + 13 * 3);
  EXPECT_EQ(part.facts.end, 3U + 14 * 3);
  EXPECT_EQ(part.preceding, 5U);
  EXPECT_EQ(part.facts.measured_ns, 300'000);
  ASSERT_TRUE(part.facts.spread.has_value());
  EXPECT_NEAR(part.facts.spread->share(), 2.0 / 300, 1e-9);
  EXPECT_FALSE(part.facts.iterations_differ());
  EXPECT_EQ(names_of(part), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ChoosePart, IterationsThatDifferAreKnown) {
  ObservedRun run;
  for (int i = 0; i < 20; ++i) run.launch_all("abc", 100 + 10 * i);
  const ChosenPart part = run.best();
  EXPECT_TRUE(part.facts.is_loop);
  EXPECT_GT(part.facts.spread->share(), 0.5);
  EXPECT_TRUE(part.facts.iterations_differ());
  EXPECT_EQ(part.facts.spread->low_ns, 3 * (110'000 + 18'000));
}

TEST(ChoosePart, AnIterationThatIsIncompleteIsNotMeasured) {
  ObservedRun run;
  for (int i = 0; i < 12; ++i) {
    run.launch_all("abc", i == 7 ? 150 : 100);
    if (i != 7) run.lose_operation();
  }
  const ChosenPart part = run.best();
  EXPECT_EQ(part.facts.first, 21U);
  EXPECT_EQ(part.facts.end, 24U);
}

TEST(ChoosePart, AGraphCountsAsItsNodes) {
  ObservedRun run;
  run.launch("a");
  for (int i = 0; i < 12; ++i) {
    run.graph({"p", "q", "memset"});
    run.launch("b");
  }
  const ChosenPart part = run.best();
  EXPECT_EQ(part.facts.launches(), 4U);
  EXPECT_EQ((part.facts.first - 1) % 4, 0U);
  ASSERT_EQ(part.launches.size(), 2U);
  EXPECT_EQ(part.launches[0].names, (std::vector<std::string>{"memset", "p", "q"}));
}

TEST(ChoosePart, APassWithTooManyLaunchesIsCut) {
  ObservedRun run;
  for (int i = 0; i < 60'000; ++i) {
    run.launch("k" + std::to_string(i), 1);
    if (i % 1000 == 999) run.synchronise();
  }
  const ChosenPart part = run.best();
  EXPECT_EQ(part.facts.launches(), 50'000U);
  EXPECT_EQ(part.facts.first, 0U);
}

TEST(ChoosePart, ThePartWithTheMostTimeComesFirst) {
  ObservedRun run;
  run.launch_all("uvwxyz", 100);
  run.synchronise();
  for (int i = 0; i < 12; ++i) run.launch_all("abc", 100);
  const auto parts = run.parts();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_TRUE(parts[0].facts.is_loop);
  EXPECT_EQ(part_text(parts[0].facts),
            "launches 24..27 (one of 12 iterations of a loop with 86 % of the GPU time)");
  EXPECT_EQ(part_text(parts[1].facts), "launches 0..6 (single pass, 14 % of the GPU time)");
}

TEST(ChoosePart, NothingIsMeasuredInPlaceOfALongerLoopThatCannotBe) {
  ObservedRun run;
  run.launch_all("uvwxyz", 10);
  run.synchronise();
  for (int i = 0; i < 12; ++i) {
    run.launch_all("abc", 100);
    run.lose_operation();
  }
  EXPECT_TRUE(run.parts().empty());
}

TEST(ChoosePart, ALoopOfCopiesIsNotMeasured) {
  ObservedRun run;
  for (int i = 0; i < 300; ++i) run.launch("memcpy", 500);
  run.synchronise();
  run.launch_all("abc");
  const auto parts = run.parts();
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].facts.first, 300U);
}

TEST(ChoosePart, ARunWithoutKernelsHasNone) {
  ObservedRun run;
  EXPECT_TRUE(run.parts().empty());
  load_weights(run, 2);
  EXPECT_TRUE(run.parts().empty());
}

TEST(FirstOtherLaunch, ComparesNamesInOrderExceptWithinGraphs) {
  ChosenPart part;
  part.facts.first = 100;
  part.launches = {{1, {"a"}}, {2, {"p", "q"}}, {2, {}}, {1, {"memcpy"}}};
  EXPECT_EQ(first_other_launch(part, {"a", "q", "p", "any", "other", "memcpy DtoH"}), std::nullopt);
  EXPECT_EQ(first_other_launch(part, {"b", "q", "p", "any", "other", "memcpy DtoH"}), 100U);
  EXPECT_EQ(first_other_launch(part, {"a", "q", "r", "any", "other", "memcpy DtoH"}), 101U);
  EXPECT_EQ(first_other_launch(part, {"a", "q", "p", "any", "other", "memset"}), 105U);
  EXPECT_EQ(first_other_launch(part, {"a", "q", "p"}), 103U);
  EXPECT_EQ(first_other_launch(part, {"a", "q", "p", "any", "other", "memcpy", "c"}), 106U);
}

}  // namespace
}  // namespace kjoule
