#include "recording/run_structure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace kjoule {
namespace {

/// A run that is written down launch by launch.
struct WrittenRun {
  std::vector<uint32_t> signatures;
  std::vector<uint64_t> pointers;
  std::vector<uint64_t> synchronisations;

  void launch(uint32_t signature, uint64_t pointer = 0) {
    signatures.push_back(signature);
    pointers.push_back(pointer);
  }
  /// Launches a kernel for each letter, with the same pointers for the same letter.
  void launch_all(const std::string& letters) {
    for (const char letter : letters) launch(static_cast<uint32_t>(letter), static_cast<uint64_t>(letter));
  }
  void synchronise() { synchronisations.push_back(signatures.size()); }
  RunStructure structure() const { return find_structure({signatures, pointers, synchronisations}); }
};

/// Returns the parts as text, for example "1 pass, 3x100" for a launch and a loop of 100 iterations of 3.
std::string parts_of(const RunStructure& structure) {
  std::string text;
  for (const RunPart& part : structure.parts) {
    if (!text.empty()) text += ", ";
    text += part.period == 0 ? std::to_string(part.launches) + " pass"
                             : std::to_string(part.period) + "x" + std::to_string(part.iterations);
  }
  return text;
}

void expect_parts_cover(const RunStructure& structure, uint64_t launches) {
  uint64_t next = 0;
  for (const RunPart& part : structure.parts) {
    EXPECT_EQ(part.first, next);
    EXPECT_GT(part.launches, 0U);
    next = part.first + part.launches;
  }
  EXPECT_EQ(next, launches);
}

TEST(FindStructure, FindsSeveralLoopsOfOneKernel) {
  WrittenRun run;
  run.launch_all("ab");
  for (int i = 0; i < 100; ++i) run.launch('k', 1);
  run.launch_all("c");
  for (int i = 0; i < 50; ++i) run.launch('m', 2);
  const RunStructure found = run.structure();
  EXPECT_EQ(parts_of(found), "2 pass, 1x100, 1 pass, 1x50");
  EXPECT_TRUE(found.groups.empty());
  EXPECT_EQ(found.kinds, 4U);
  expect_parts_cover(found, run.signatures.size());
}

TEST(FindStructure, BuffersThatTakeTurnsMakeTwoIterationsUnlessEachIsAwaited) {
  for (const bool awaited : {false, true}) {
    WrittenRun run;
    for (uint64_t i = 0; i < 100; ++i) {
      for (uint32_t kernel = 1; kernel <= 5; ++kernel) run.launch(kernel, 10 * kernel + i % 2);
      if (awaited) run.synchronise();
    }
    EXPECT_EQ(parts_of(run.structure()), awaited ? "5x100" : "10x50");
  }
}

/// A step of equal blocks with weights of their own, in buffers that take turns from step to step.
WrittenRun steps_of_blocks(uint64_t blocks, bool each_block_awaited) {
  WrittenRun run;
  for (uint64_t step = 0; step < 100; ++step) {
    for (uint64_t block = 0; block < blocks; ++block) {
      run.launch(1, 10 * block + step % 2);
      run.launch(2, 10 * block + 2 + step % 2);
      if (each_block_awaited) run.synchronise();
    }
    if (!each_block_awaited) run.synchronise();
  }
  return run;
}

TEST(FindStructure, AStepOfBlocksWhoseBuffersTakeTurnsIsAnIterationIfTheHostWaitsOnceInIt) {
  EXPECT_EQ(parts_of(steps_of_blocks(3, false).structure()), "6x100");
  EXPECT_EQ(parts_of(steps_of_blocks(3, true).structure()), "12x50") << "waits in each block tell nothing";
}

/// Steps of 40 launches after each of which the host waits once. Half of the launches keep their addresses;
/// the allocator draws those of the others from a few, and repeats itself after 13 steps.
WrittenRun steps_of_wandering_buffers(bool each_awaited) {
  WrittenRun run;
  std::mt19937 random(3);
  std::vector<uint64_t> drawn(13 * 40);
  for (uint64_t& address : drawn) address = 100 + random() % 6;
  for (uint64_t step = 0; step < 65; ++step) {
    for (uint32_t launch = 0; launch < 40; ++launch)
      run.launch(launch, launch % 2 == 0 ? launch : 1000 * launch + drawn[step % 13 * 40 + launch]);
    if (each_awaited) run.synchronise();
  }
  return run;
}

TEST(FindStructure, AddressesThatWanderDoNotJoinStepsOfWhichEachIsAwaited) {
  const RunStructure awaited = steps_of_wandering_buffers(true).structure();
  EXPECT_EQ(parts_of(awaited), "40x65");
  EXPECT_LT(awaited.parts[0].repeating_share, 0.7) << "half of the launches, and some by chance";
  EXPECT_EQ(parts_of(steps_of_wandering_buffers(false).structure()), "520x5");
}

TEST(FindStructure, BlocksThatAreAwaitedAreNotTheIteration) {
  for (const uint64_t blocks : {24, 28, 29}) {
    WrittenRun run;
    for (uint64_t step = 0; step < 40; ++step)
      for (uint64_t block = 0; block < blocks; ++block) {
        for (uint32_t i = 0; i < 5; ++i) run.launch(i, 100 * block + i);  // weights
        // Activations in two buffers, but for the first block, and scratch memory in three.
        for (uint32_t i = 5; i < 10; ++i) run.launch(i, block == 0 ? 1 : 5000 + block % 2);
        for (uint32_t i = 10; i < 16; ++i) run.launch(i, 9000 + 100 * (block % 3));
        run.synchronise();
      }
    EXPECT_EQ(parts_of(run.structure()), std::to_string(16 * blocks) + "x40");
  }
}

TEST(FindStructure, AnOuterLoopGroupsEqualLoops) {
  WrittenRun run;
  for (int test = 0; test < 5; ++test) {
    run.launch_all("s");
    for (int i = 0; i < 100; ++i) run.launch_all("ab");
    for (int i = 0; i < 100; ++i) run.launch_all("cde");
  }
  const RunStructure found = run.structure();
  EXPECT_EQ(parts_of(found),
            "1 pass, 2x100, 3x100, 1 pass, 2x100, 3x100, 1 pass, 2x100, 3x100, 1 pass, 2x100, 3x100, 1 pass, "
            "2x100, 3x100");
  ASSERT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(found.groups[0].first_part, 0U);
  EXPECT_EQ(found.groups[0].parts, 15U);
  EXPECT_EQ(found.groups[0].iterations, 5U);
  EXPECT_EQ(found.parts[1].kind, found.parts[4].kind);
  EXPECT_NE(found.parts[1].kind, found.parts[2].kind);
}

TEST(FindStructure, IdenticalBlocksAreNotTheIteration) {
  WrittenRun run;
  for (int step = 0; step < 40; ++step) {
    run.launch_all("e");
    for (int block = 0; block < 12; ++block)
      for (int i = 0; i < 19; ++i) run.launch(100 + i, block * 100 + i);  // each block has its own weights
    run.launch_all("hsm");
  }
  EXPECT_EQ(parts_of(run.structure()), "232x40");
}

TEST(FindStructure, IdenticalBlocksWhoseActivationsRepeatAreNotTheIteration) {
  WrittenRun run;
  for (int step = 0; step < 40; ++step)
    for (int block = 0; block < 12; ++block)
      for (int i = 0; i < 19; ++i) run.launch(100 + i, i % 3 == 0 ? block * 100 + i : i);
  EXPECT_EQ(parts_of(run.structure()), "228x40");
}

TEST(FindStructure, TwoBuffersInRotationMakeOneIterationOfTwo) {
  WrittenRun run;
  for (int i = 0; i < 60; ++i) {
    run.launch('x', i % 2);
    run.launch('y', 10 + i % 2);
  }
  EXPECT_EQ(parts_of(run.structure()), "4x30");
}

TEST(FindStructure, LoggingBetweenStepsDoesNotMakeThemOneIteration) {
  WrittenRun run;
  for (int print = 0; print < 10; ++print) {
    for (int step = 0; step < 50; ++step) run.launch_all("abcdefg");
    run.launch_all("pq");
  }
  const RunStructure found = run.structure();
  ASSERT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(found.groups[0].iterations, 10U);
  EXPECT_EQ(found.parts.front().period, 7U);
  EXPECT_EQ(found.parts.front().iterations, 50U);
  EXPECT_EQ(found.kinds, 11U);  // one loop and ten passes
}

TEST(FindStructure, MicroBatchesBelongToTheStep) {
  WrittenRun run;
  for (int step = 0; step < 20; ++step) {
    for (int batch = 0; batch < 4; ++batch) run.launch_all("fgb");
    run.launch_all("op");
  }
  EXPECT_EQ(parts_of(run.structure()), "14x20");
}

TEST(FindStructure, AStreamOverOtherDataEachTimeIsALoop) {
  WrittenRun run;
  for (int i = 0; i < 300; ++i) run.launch('s', i);
  const RunStructure found = run.structure();
  EXPECT_EQ(parts_of(found), "1x300");
  EXPECT_EQ(found.parts[0].repeating_share, 0);
}

TEST(FindStructure, TheBlocksOfASinglePassAreNotALoop) {
  WrittenRun run;
  run.launch_all("e");
  for (int block = 0; block < 24; ++block)
    for (int i = 0; i < 19; ++i) run.launch(100 + i, i % 3 == 0 ? i : block * 100 + i);
  run.launch_all("hhhsm");
  EXPECT_EQ(parts_of(run.structure()), "462 pass");
}

TEST(FindStructure, IterationsThatDifferInLengthAreReported) {
  WrittenRun run;
  std::mt19937 random(1);
  for (int i = 0; i < 30; ++i) {
    run.launch_all("r");
    for (unsigned k = 0; k < 3 + random() % 5; ++k) run.launch('k', 1);
    run.launch_all("zt");
  }
  const RunStructure found = run.structure();
  ASSERT_EQ(found.parts.size(), 1U);
  EXPECT_EQ(found.parts[0].iterations, 30U);
  EXPECT_FALSE(found.parts[0].even);
  ASSERT_EQ(found.parts[0].begins.size(), 31U);
  for (size_t i = 1; i < 30; ++i)
    EXPECT_EQ(run.signatures[found.parts[0].begins[i]], run.signatures[found.parts[0].begins[0]]) << i;
}

TEST(FindStructure, PassesAreCutAtSynchronisationsAndAfter2000Launches) {
  WrittenRun run;
  for (uint32_t i = 0; i < 200; ++i) run.launch(1000 + i);
  run.synchronise();
  for (uint32_t i = 0; i < 4500; ++i) run.launch(2000 + i);
  EXPECT_EQ(parts_of(run.structure()), "200 pass, 2000 pass, 2000 pass, 500 pass");
}

TEST(FindStructure, ARunWithoutLaunchesHasNoParts) {
  EXPECT_TRUE(WrittenRun().structure().parts.empty());
}

TEST(FindStructure, RandomRunsAreCovered) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    WrittenRun run;
    const unsigned letters = 1 + random() % 4, length = random() % 200;
    for (unsigned i = 0; i < length; ++i) run.launch(random() % letters, random() % 2);
    for (unsigned i = 0; i < length; i += 1 + random() % 50) run.synchronisations.push_back(i);
    expect_parts_cover(run.structure(), length);
  }
}

TEST(FindStructure, FindsTheLoopOfALongBodyThatRepeatsWithinItself) {
  WrittenRun run;
  std::mt19937 random(3);
  std::string body;
  for (int i = 0; i < 500; ++i) body += static_cast<char>('a' + random() % 3);
  for (int i = 0; i < 20; ++i) run.launch_all(body);
  const RunStructure found = run.structure();
  ASSERT_EQ(found.parts.size(), 1U);
  EXPECT_EQ(found.parts[0].iterations, 20U);
  EXPECT_EQ(found.parts[0].launches, 10000U);
}

}  // namespace
}  // namespace kjoule
