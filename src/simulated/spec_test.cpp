#include "simulated/spec.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

std::string refusal(std::string_view text) {
  try {
    parse_simulated_spec(text);
  } catch (const Error& error) {
    return error.line();
  }
  return "accepted";
}

TEST(SimulatedSpec, NothingGivenMeansTheDefaults) {
  EXPECT_EQ(parse_simulated_spec(""), SimulatedSpec{});
  EXPECT_EQ(parse_simulated_spec("simulated:"), SimulatedSpec{});
  EXPECT_EQ(to_string(SimulatedSpec{}), "seed=1");
}

TEST(SimulatedSpec, EveryKeyIsReadAndWrittenBack) {
  const std::string text =
      "seed=18446744073709551615,launches=60,edges=clean,noise=0.01,drift=0,long_reuse=off,fail=7,crash=2.5,"
      "differ=on,lost_record=9,distortion=0.1,nonadditive=0.05,converged=4,power_limit=450.5,meter=frozen,"
      "sensor_rate=1233.5";
  const SimulatedSpec spec = parse_simulated_spec("simulated:" + text);
  EXPECT_EQ(spec.seed, UINT64_MAX);
  EXPECT_EQ(spec.launches, 60);
  EXPECT_TRUE(spec.can_time_between_launches);
  EXPECT_EQ(spec.noise, 0.01);
  EXPECT_EQ(spec.drift, 0);
  EXPECT_EQ(spec.long_reuse, SimulatedSpec::LongReuse::off);
  EXPECT_EQ(spec.fail, 7u);
  EXPECT_EQ(spec.crash, 2.5);
  EXPECT_TRUE(spec.differ);
  EXPECT_EQ(spec.lost_record, 9u);
  EXPECT_EQ(spec.distortion, 0.1);
  EXPECT_EQ(spec.nonadditive, 0.05);
  EXPECT_EQ(spec.converged, 4);
  EXPECT_EQ(spec.power_limit, 450.5);
  EXPECT_EQ(spec.meter, SimulatedSpec::MeterHealth::frozen);
  EXPECT_EQ(spec.sensor_rate, 1233.5);
  EXPECT_EQ(to_string(spec), text);
}

TEST(SimulatedSpec, AnUnknownKeyIsRefusedWithTheValidOnes) {
  for (const char* text : {"speed=1", "seed", "seed=1,,drift=0", "=3"})
    EXPECT_NE(refusal(text).find(
                  "seed, launches, edges, noise, drift, long_reuse, fail, crash, differ, lost_record, "
                  "distortion, nonadditive, converged, power_limit, meter, sensor_rate"),
              std::string::npos)
        << text << ": " << refusal(text);
}

TEST(SimulatedSpec, AKeyIsGivenOnce) {
  EXPECT_EQ(refusal("seed=1,drift=0,seed=1"), "--device simulated: seed is given twice; give each key once");
}

TEST(SimulatedSpec, ABadValueIsRefusedWithTheValidOnes) {
  EXPECT_EQ(refusal("launches=0"),
            "--device simulated: launches=0 is not valid; launches must be a number from 4 to 20000");
  EXPECT_NE(refusal("edges=soft").find("draining, clean"), std::string::npos) << refusal("edges=soft");
  EXPECT_NE(refusal("long_reuse=1").find("auto, on, off"), std::string::npos);
  EXPECT_NE(refusal("meter=broken").find("works, none, frozen, resets"), std::string::npos);
  EXPECT_NE(refusal("noise=0.6").find("from 0 to 0.5"), std::string::npos) << refusal("noise=0.6");
  for (const char* text : {"seed=", "seed=-1", "seed=1x", "launches=3", "launches=1.5", "noise=nan",
                           "drift=-0.1", "power_limit=150", "sensor_rate=-1", "crash=soon", "fail=-1",
                           "differ=yes", "seed=18446744073709551616"})
    EXPECT_NE(refusal(text).find("is not valid"), std::string::npos) << text << ": " << refusal(text);
}

}  // namespace
}  // namespace kjoule
