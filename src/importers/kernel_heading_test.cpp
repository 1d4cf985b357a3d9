#include "importers/kernel_heading.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "importers/time_unit.hpp"

namespace kjoule {
namespace {

TEST(KernelHeading, CountsHaveManyNames) {
  for (const char* heading :
       {"COUNT", "num_calls", "Num Calls", "invocations", "Occurrences", "# of Calls", "nCalls", "Instances",
        "Launch Count", "number of launches", "kernel_count", "Executions", "dur_us_count", "name_count",
        "Kernel duration (\xc2\xb5s)_count"})
    EXPECT_EQ(read_kernel_heading(heading).meaning, HeadingMeaning::count) << heading;
  for (const char* heading : {"VGPR_Count", "call", "launch", "block_count", "API calls", "Correlation_Id"})
    EXPECT_EQ(read_kernel_heading(heading).meaning, HeadingMeaning::other) << heading;
  EXPECT_TRUE(read_kernel_heading("calls_per_step").is_doubtful);
  for (const char* heading : {"calls_per_step", "frequency", "mean_invocations"})
    EXPECT_TRUE(read_kernel_heading(heading).may_be_count) << heading;
  for (const char* heading : {"launch_id", "register count", "time per call (us)", "wall_time_us"})
    EXPECT_FALSE(read_kernel_heading(heading).may_be_count) << heading;
}

TEST(KernelHeading, TimesHaveAMeaningAndAUnit) {
  const auto expect = [](const char* heading, HeadingMeaning meaning, int power) {
    const KernelHeading read = read_kernel_heading(heading);
    EXPECT_EQ(read.meaning, meaning) << heading;
    EXPECT_EQ(read.power, power) << heading;
    EXPECT_FALSE(read.is_doubtful) << heading;
  };
  expect("TotalDurationNs", HeadingMeaning::total, -3);
  expect("Total Time (ns)", HeadingMeaning::total, -3);
  expect("sum_time_sec", HeadingMeaning::total, 6);
  expect("AverageNs", HeadingMeaning::mean, -3);
  expect("Avg(msec)", HeadingMeaning::mean, 3);
  expect("time per call (us)", HeadingMeaning::mean, 0);
  expect("min_kernel_time_ms", HeadingMeaning::least, 3);
  expect("MaxNs", HeadingMeaning::largest, -3);
  expect("Duration(nsec)", HeadingMeaning::duration, -3);
  expect("gpu_time_us", HeadingMeaning::duration, 0);
  expect("Kernel duration (\xc2\xb5s)_sum", HeadingMeaning::total, 0);
  expect("dur_ns_mean", HeadingMeaning::mean, -3);
}

TEST(KernelHeading, OtherTimesAreNoTimesOfKernels) {
  for (const char* heading : {"Time (%)", "Med (ns)", "StdDev (ns)", "Start (ns)", "cpu_time_us",
                              "Queue Dur (ns)", "MB/s", "Throughput (MB/s)", "TB/s_mean", "Time (us)_std",
                              "SMs", "name", "Percentage", "Start_Timestamp", "stream"}) {
    const KernelHeading read = read_kernel_heading(heading);
    EXPECT_FALSE(read.is_time() || read.is_doubtful || read.meaning == HeadingMeaning::count) << heading;
  }
}

TEST(KernelHeading, DoubtfulTimesAreNotUnderstood) {
  for (const char* heading :
       {"time_per_iteration_ms", "wall_time_us", "idleness_us", "time", "duration", "frequency", "runs"})
    EXPECT_TRUE(read_kernel_heading(heading).is_doubtful) << heading;
}

TEST(TimeUnit, HasManyNames) {
  for (const auto& [unit, power] : {std::pair("ns", -3),
                                    {"nsec", -3},
                                    {"nsecond", -3},
                                    {"Nanoseconds", -3},
                                    {"us", 0},
                                    {"usecond", 0},
                                    {"microsecond", 0},
                                    {"\xc2\xb5s", 0},
                                    {"msec", 3},
                                    {"milliseconds", 3},
                                    {"s", 6},
                                    {"sec", 6},
                                    {"second", 6}})
    EXPECT_EQ(power_of_unit(unit), power) << unit;
  for (const char* unit : {"", "n", "m", "fortnight", "nss", "hz", "%"})
    EXPECT_FALSE(power_of_unit(unit)) << unit;
}

}  // namespace
}  // namespace kjoule
