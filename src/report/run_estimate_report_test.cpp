#include "report/run_estimate_report.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kjoule {
namespace {

KernelEstimate kernel(const std::string& name, double count, double each_us, size_t windows) {
  KernelEstimate one;
  one.observed.kernel.name = name;
  one.observed.kernel.grid = {8, 1, 1};
  one.observed.launches = count;
  one.observed.profiled_s = 0.9e-6 * count * each_us;
  one.replayed_s = {1e-6 * count * each_us, 1e-8 * count * each_us};
  one.windows = windows;
  return one;
}

RunEstimate estimated() {
  RunEstimate run;
  run.windows = 5;
  run.total_s = {0.5, 0.01};
  run.profiled_s = 0.48;
  run.scaled_share = 0.02;
  run.kernels = {kernel("gemm", 1000, 300, 4), kernel("rare", 10, 50, 0)};
  run.left_out = LeftOutWindows{5, -0.001, 0.006, 4};
  run.mean_iteration = LoopMean{812, {400e-6, 8e-6}, 300e-6, 500e-6};
  return run;
}

TEST(RunEstimateText, HasTotalTestMeanAndKernels) {
  const std::string text = run_estimate_text(estimated());
  for (const char* said : {"kernel x count of the run: 500.000 ms +- 2.00 % for all launches in the",
                           "(480.000 ms by the profiler), from 5 windows",
                           "2.0 % of this time is scaled from the profiler, for kernels in no window",
                           "mean of 812 iterations of the loop: 400.0 us +- 2.00 % without launch gaps",
                           "error -0.10 %, root mean square 0.60 %; 4 of 5 intervals contain the",
                           "1000   300.00  300.000  1.00      60.0        4  gemm",
                           "10    50.00    0.500  1.00       0.1   scaled  rare"})
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
}

TEST(RunEstimateText, SaysThatAnIntervalIsNotKnown) {
  RunEstimate run = estimated();
  run.windows = 1;
  run.total_s.half_width = run.kernels[0].replayed_s.half_width = std::numeric_limits<double>::infinity();
  run.left_out.reset();
  run.mean_iteration.reset();
  const std::string text = run_estimate_text(run);
  EXPECT_NE(text.find("interval not known"), std::string::npos) << text;
  EXPECT_NE(text.find("from 1 window\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  const auto json = run_estimate_json(run);
  EXPECT_TRUE(json.at("half_width_us").is_null());
  EXPECT_TRUE(json.at("left_out").is_null());
  EXPECT_TRUE(json.at("mean_iteration").is_null());
  EXPECT_TRUE(json.at("kernels").at(0).at("half_width_us").is_null());
  EXPECT_EQ(json.at("kernels").at(1).at("windows"), 0);
}

}  // namespace
}  // namespace kjoule
