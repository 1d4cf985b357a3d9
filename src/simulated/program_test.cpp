#include "simulated/program.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

SimulatedProgram drawn_program_of(const std::string& spec) {
  return make_simulated_program(parse_simulated_spec(spec));
}

std::string seed(int number) {
  return "seed=" + std::to_string(number);
}

TEST(SimulatedProgram, IsDrawnFromTheSeedAlone) {
  const SimulatedProgram a = drawn_program_of("seed=5");
  const SimulatedProgram b = drawn_program_of("seed=5,noise=0,drift=0,edges=clean");
  ASSERT_EQ(a.launches.size(), b.launches.size());
  for (size_t i = 0; i < a.launches.size(); ++i) {
    EXPECT_EQ(a.launches[i].signature, b.launches[i].signature);
    EXPECT_EQ(a.launches[i].reads, b.launches[i].reads);
    EXPECT_EQ(a.launches[i].writes, b.launches[i].writes);
  }
  EXPECT_EQ(a.machine.cache_bytes, b.machine.cache_bytes);
  EXPECT_NE(a.launches.size(), drawn_program_of("seed=6").launches.size());
}

/// Ensures that seeds in committed results keep their meaning. Change the expected value only with a reason.
TEST(SimulatedProgram, TheFirstSeedIsAsItAlwaysWas) {
  const SimulatedProgram program = drawn_program_of("seed=1");
  EXPECT_EQ(program.launches.size(), 222u);
  EXPECT_EQ(program.footprint_bytes(), 1696577536u);
  EXPECT_EQ(program.machine.cache_bytes, 2463000199u);
}

TEST(SimulatedProgram, HasTheLaunchesThatWereAskedFor) {
  for (const int launches : {4, 5, 7, 12, 40, 137, 300, 1000}) {
    const SimulatedProgram program = drawn_program_of("long_reuse=on,launches=" + std::to_string(launches));
    EXPECT_EQ(program.launches.size(), static_cast<size_t>(launches));
  }
}

TEST(SimulatedProgram, IsLikeAModel) {
  std::set<Tier> tiers;
  for (int s = 1; s <= 100; ++s) {
    const SimulatedProgram program = drawn_program_of(seed(s));
    EXPECT_GE(program.launches.size(), 40u);
    EXPECT_LE(program.launches.size(), 300u);
    std::map<uint32_t, std::string> signatures;
    for (const SimulatedLaunch& launch : program.launches) {
      tiers.insert(launch.tier);
      EXPECT_EQ(signatures.emplace(launch.kernel, launch.signature).first->second, launch.signature);
      EXPECT_FALSE(launch.writes.empty());
      EXPECT_GE(launch.host_gap_s, 0);
    }
    EXPECT_LT(signatures.size(), program.launches.size() / 2 + 20) << "layers repeat their kernels";
  }
  EXPECT_EQ(tiers, (std::set<Tier>{Tier::cuda_runtime, Tier::vendor_library, Tier::framework}));
}

TEST(SimulatedProgram, AThirdHaveLongReuseAndCachesOfAllSizes) {
  int long_reuse = 0, smaller = 0, about = 0, larger = 0;
  for (int s = 1; s <= 600; ++s) {
    const SimulatedProgram program = drawn_program_of(seed(s));
    const double share =
        static_cast<double>(program.machine.cache_bytes) / static_cast<double>(program.footprint_bytes());
    long_reuse += program.long_reuse;
    smaller += share < 0.7;
    about += share >= 0.7 && share <= 1.3;
    larger += share > 1.3;
  }
  EXPECT_NEAR(long_reuse, 200, 40);
  EXPECT_GT(smaller, 100);
  EXPECT_GT(about, 100);
  EXPECT_GT(larger, 100);
}

/// The cost of a launch that reads an earlier layer's data depends on whether the cache still contains these
/// data.
TEST(SimulatedProgram, LongReuseDependsOnTheCache) {
  int matters = 0;
  for (int s = 1; s <= 50; ++s) {
    SimulatedProgram program = drawn_program_of(seed(s) + ",long_reuse=on");
    const double whole_s = truth_of(program).whole_s;
    program.machine.cache_bytes = program.machine.cache_bytes * 7 / 10;
    matters += truth_of(program).whole_s > 1.005 * whole_s;
  }
  EXPECT_GT(matters, 35);
}

TEST(SimulatedProgram, AFailingLaunchMustExist) {
  EXPECT_NO_THROW(drawn_program_of("launches=40,fail=39"));
  EXPECT_THROW(drawn_program_of("launches=40,fail=40"), Error);
}

}  // namespace
}  // namespace kjoule
