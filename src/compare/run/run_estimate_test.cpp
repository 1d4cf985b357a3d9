#include "compare/run/run_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kjoule {
namespace {

KernelKey kernel_of(const std::string& name) {
  KernelKey key;
  key.name = name;
  key.grid = {1, 1, 1};
  key.block = {64, 1, 1};
  return key;
}

WindowKernel times(const std::string& name, double launches, double profiled_us, double replayed_us) {
  return {{kernel_of(name), launches, 1e-6 * launches * profiled_us}, 1e-6 * launches * replayed_us};
}

/// A window whose whole is the sum of its kernels.
WindowTimes window_of(std::vector<WindowKernel> kernels, double instrument = 0) {
  WindowTimes window;
  for (const WindowKernel& kernel : kernels) window.whole_s += kernel.replayed_s;
  window.instrument_s = instrument * window.whole_s;
  window.kernels = std::move(kernels);
  return window;
}

TEST(RunEstimate, IsTheProfiledTimeOfEachKernelTimesItsRatio) {
  const std::vector<WindowTimes> windows = {window_of({times("a", 2, 10, 11), times("b", 4, 5, 5)}),
                                            window_of({times("a", 6, 10, 11), times("b", 1, 5, 5)})};
  const std::vector<ProfiledKernel> observed = {{kernel_of("b"), 100, 500e-6},
                                                {kernel_of("a"), 100, 1200e-6}};
  const RunEstimate run = estimate_run(observed, windows).value();
  EXPECT_NEAR(run.total_s.value, 1200e-6 * 1.1 + 500e-6, 1e-12);
  EXPECT_NEAR(run.total_s.half_width, 0, 1e-12) << "both windows have the same ratios";
  EXPECT_DOUBLE_EQ(run.profiled_s, 1700e-6);
  EXPECT_EQ(run.scaled_share, 0);
  ASSERT_EQ(run.kernels.size(), 2U);
  EXPECT_EQ(run.kernels[0].observed.kernel.name, "a") << "the longest comes first";
  EXPECT_EQ(run.kernels[0].windows, 2U);
  EXPECT_FALSE(run.left_out) << "two windows are too few";
}

TEST(RunEstimate, TakesALineForKernelsInNoWindow) {
  // The profiler leaves out 1 us of each launch.
  const std::vector<WindowTimes> windows = {
      window_of({times("a", 2, 10, 11), times("b", 4, 5, 6), times("c", 1, 100, 101)}),
      window_of({times("a", 2, 10, 11), times("b", 4, 5, 6), times("c", 1, 100, 101)})};
  const std::vector<ProfiledKernel> observed = {{kernel_of("a"), 10, 100e-6}, {kernel_of("d"), 10, 200e-6}};
  const RunEstimate run = estimate_run(observed, windows).value();
  EXPECT_NEAR(run.kernels[0].replayed_s.value, 210e-6, 1e-9);
  EXPECT_EQ(run.kernels[0].windows, 0U);
  EXPECT_NEAR(run.scaled_share, 210.0 / 320, 1e-6);
}

/// Returns copies of one size. The profiler's time of large copies contains work of the host.
WindowKernel copies(uint64_t bytes, double launches, double profiled_us, double replayed_us) {
  WindowKernel copy = times("memcpy HtoD (pageable)", launches, profiled_us, replayed_us);
  copy.kernel = {};
  copy.kernel.name = "memcpy HtoD (pageable)";
  copy.kernel.bytes = bytes;
  return copy;
}

TEST(RunEstimate, TellsCopiesApartByTheirSize) {
  const std::vector<WindowTimes> windows = {
      window_of({times("a", 2, 10, 11), copies(64, 4, 2, 3), copies(4096, 1, 100, 50)}),
      window_of({times("a", 2, 10, 11), copies(64, 4, 2, 3), copies(4096, 1, 100, 50)})};
  const RunEstimate run =
      estimate_run(std::vector<ProfiledKernel>{copies(64, 100, 2, 0), copies(4096, 10, 100, 0)}, windows)
          .value();
  EXPECT_NEAR(run.total_s.value, 100 * 3e-6 + 10 * 50e-6, 1e-12);
  EXPECT_NEAR(run.total_s.half_width, 0, 1e-12);
  const RunEstimate other =
      estimate_run(std::vector<ProfiledKernel>{copies(512, 10, 20, 0)}, windows).value();
  EXPECT_NEAR(other.total_s.value, 200e-6 * (4 * 3 + 50) / (4 * 2 + 100), 1e-12)
      << "the ratio of all sizes together";
  EXPECT_EQ(other.kernels[0].windows, 0U);
}

TEST(RunEstimate, HasNoIntervalFromASingleWindow) {
  const std::vector<WindowTimes> windows = {window_of({times("a", 2, 10, 11)})};
  const std::vector<ProfiledKernel> observed = {{kernel_of("a"), 10, 100e-6}};
  EXPECT_TRUE(std::isinf(estimate_run(observed, windows).value().total_s.half_width));
  EXPECT_FALSE(estimate_run(observed, {})) << "nor an estimate without any";
}

TEST(RunEstimate, AddsTheInstrumentsErrorWhichAllWindowsHaveInCommon) {
  const std::vector<WindowTimes> windows(5, window_of({times("a", 2, 10, 11)}, 0.002));
  const std::vector<ProfiledKernel> observed = {{kernel_of("a"), 10, 100e-6}};
  const Interval total_s = estimate_run(observed, windows).value().total_s;
  EXPECT_NEAR(total_s.half_width, 0.002 * total_s.value, 1e-12);
}

/// A program with ten kernels, of which windows are drawn. From window to window, the ratio of replayed to
/// profiled time varies by `scatter` for each kernel, and by `common` for all kernels together.
class Program {
 public:
  explicit Program(uint64_t seed, double scatter = 0.01, double common = 0.005)
      : words_(seed), scatter_(scatter), common_(common) {
    for (int kernel = 0; kernel < kKernels; ++kernel)
      means_.push_back(1.0 + 0.05 * std::normal_distribution<double>()(words_));
  }

  std::vector<WindowTimes> windows(int count) {
    std::vector<WindowTimes> windows;
    for (int i = 0; i < count; ++i) {
      const double common = common_ * std::normal_distribution<double>()(words_);
      std::vector<WindowKernel> kernels;
      for (int kernel = 0; kernel < kKernels; ++kernel) {
        if (std::uniform_int_distribution<int>(0, 3)(words_) == 0 && kernel > 0) continue;
        const double apart = scatter_ * std::normal_distribution<double>()(words_);
        kernels.push_back(times(std::to_string(kernel), std::uniform_int_distribution<int>(1, 20)(words_),
                                5 + kernel, (5 + kernel) * means_[kernel] * (1 + common + apart)));
      }
      windows.push_back(window_of(std::move(kernels)));
    }
    return windows;
  }

  std::vector<ProfiledKernel> observed() const {
    std::vector<ProfiledKernel> kernels;
    for (int kernel = 0; kernel < kKernels; ++kernel)
      kernels.push_back({kernel_of(std::to_string(kernel)), 1000.0, 1e-3 * (5 + kernel)});
    return kernels;
  }
  double truth_s() const {
    double sum_s = 0;
    for (int kernel = 0; kernel < kKernels; ++kernel) sum_s += 1e-3 * (5 + kernel) * means_[kernel];
    return sum_s;
  }

 private:
  static constexpr int kKernels = 10;
  std::mt19937_64 words_;
  double scatter_, common_;
  std::vector<double> means_;
};

TEST(RunEstimate, ContainsTheTruthIn95Percent) {
  constexpr int kPrograms = 1000;
  for (const int windows : {5, 12}) {
    int inside = 0;
    for (int seed = 0; seed < kPrograms; ++seed) {
      Program program(static_cast<uint64_t>(seed));
      const Interval total_s = estimate_run(program.observed(), program.windows(windows)).value().total_s;
      if (std::abs(total_s.value - program.truth_s()) <= total_s.half_width) ++inside;
    }
    EXPECT_GE(inside, 0.93 * kPrograms) << windows;
    EXPECT_LE(inside, 0.985 * kPrograms) << windows;
  }
}

TEST(RunEstimate, PredictsWindowsThatWereLeftOut) {
  for (const int count : {4, 5, 10}) {
    size_t inside = 0, windows = 0;
    for (uint64_t seed = 0; seed < 400; ++seed) {
      const LeftOutWindows test = leave_windows_out(Program(seed).windows(count)).value();
      inside += test.inside;
      windows += test.windows;
    }
    EXPECT_GE(static_cast<double>(inside), 0.92 * static_cast<double>(windows)) << count;
    EXPECT_LE(static_cast<double>(inside), 0.98 * static_cast<double>(windows)) << count;
  }
}

TEST(RunEstimate, PredictsLaunchesWithoutProfiledTimeByTheirOwn) {
  std::vector<WindowTimes> windows(3, window_of({times("a", 2, 10, 11)}));
  for (WindowTimes& window : windows) {
    window.other_s = 5e-6;
    window.whole_s += 5e-6;
  }
  EXPECT_NEAR(leave_windows_out(windows).value().rms_error, 0, 1e-12);
}

TEST(RunEstimate, HasNoNegativeTimes) {
  // The short kernel takes less time in its replay, so a line would give negative times for still shorter
  // kernels.
  const std::vector<WindowTimes> windows(
      2, window_of({times("a", 2, 10, 8), times("b", 4, 50, 60), times("c", 1, 100, 130)}));
  const std::vector<ProfiledKernel> observed = {{kernel_of("d"), 10, 10e-6}};
  EXPECT_GT(estimate_run(observed, windows).value().total_s.value, 0);
}

TEST(RunEstimate, ScalesTheLoopsMeanIteration) {
  const std::vector<WindowTimes> windows(2, window_of({times("a", 2, 10, 11)}));
  const std::vector<ProfiledKernel> observed = {{kernel_of("a"), 10, 100e-6}};
  const RunEstimate run = estimate_run(observed, windows).value();
  IterationSpread loop{7, 15'000, 20'000, 25'000};
  EXPECT_FALSE(mean_iteration(run, loop)) << "older logs have no mean";
  loop.mean_ns = 21'000;
  const LoopMean mean = mean_iteration(run, loop).value();
  EXPECT_NEAR(mean.time_s.value, 23.1e-6, 1e-12);
  EXPECT_EQ(mean.iterations, 7U);
  EXPECT_NEAR(mean.low_s, 15e-6, 1e-12);
}

TEST(RunEstimate, FailsTheTestWhereAWindowIsUnlikeTheOthers) {
  std::vector<WindowTimes> windows = Program(1, 0.001, 0.001).windows(8);
  for (WindowKernel& kernel : windows[3].kernels) kernel.replayed_s *= 1.1;
  windows[3].whole_s *= 1.1;
  const LeftOutWindows test = leave_windows_out(windows).value();
  EXPECT_EQ(test.inside, 7U);
  EXPECT_GT(test.rms_error, 0.02);
}

}  // namespace
}  // namespace kjoule
