#include "compare/iteration/window_times.hpp"

#include <gtest/gtest.h>

#include "run/run_rows.hpp"

namespace kjoule {
namespace {

Launch kernel_with_grid(const std::string& name, uint32_t blocks) {
  const std::vector<uint32_t> grid{blocks, 1, 1}, block{64, 1, 1};
  return {name, Tier::unknown, name, {{"stream", 0}, {"grid", grid}, {"block", block}}};
}

Activity ran(ActivityKind kind, const std::string& name, int64_t begin_us, int64_t us, uint64_t bytes = 0) {
  return {kind, name, 7, 1000 * begin_us, 1000 * (begin_us + us), bytes};
}

RowList rows_with(std::vector<Activity> activities) {
  Observation seen;
  seen.iteration = std::move(activities);
  return RowList(std::vector<nlohmann::json>{stored_row(ReadTimeline{seen, ""})});
}

/// A recording of two launches of a kernel with one grid, one launch with another grid, and a copy. Their
/// replayed times are 11, 12, 21 and 8 us.
class AWindow : public testing::Test {
 protected:
  AWindow() {
    recording.launches = {kernel_with_grid("f", 4),
                          kernel_with_grid("f", 4),
                          kernel_with_grid("f", 9),
                          {"memcpy HtoD", Tier::cuda_runtime, "memcpy HtoD 512x1x1 B", {{"stream", 0}}}};
    estimate.whole_s = {53e-6, 1e-6};
    estimate.instrument_half_width_s = 0.1e-6;
    estimate.launch_s = {11e-6, 12e-6, 21e-6, 8e-6};
  }
  std::vector<Activity> activities() const {
    return {ran(ActivityKind::kernel, "f", 0, 10), ran(ActivityKind::kernel, "f", 10, 10),
            ran(ActivityKind::kernel, "f", 20, 20), ran(ActivityKind::memcpy, "", 40, 7, 512)};
  }

  Recording recording;
  SumEstimate estimate;
};

TEST_F(AWindow, HasReplayedAndProfiledTimesOfEachKernelAndSizeOfCopy) {
  const WindowTimes window = window_times(recording, estimate, rows_with(activities()));
  EXPECT_DOUBLE_EQ(window.whole_s, 53e-6);
  EXPECT_DOUBLE_EQ(window.instrument_s, 0.1e-6);
  EXPECT_NEAR(window.other_s, 0, 1e-12);
  ASSERT_EQ(window.kernels.size(), 3U);
  const WindowKernel& small = window.kernels[0];
  EXPECT_EQ(small.kernel.grid, (std::vector<uint32_t>{4, 1, 1}));
  EXPECT_EQ(small.launches, 2);
  EXPECT_NEAR(small.profiled_s, 20e-6, 1e-12);
  EXPECT_NEAR(small.replayed_s, 23e-6, 1e-12);
  EXPECT_NEAR(window.kernels[1].replayed_s, 21e-6, 1e-12);
  EXPECT_EQ(window.kernels[2].kernel.bytes, 512U);
  EXPECT_NEAR(window.kernels[2].profiled_s, 7e-6, 1e-12);
}

TEST_F(AWindow, CountsLaunchesThatTheProfilerDidNotTimeAsOthers) {
  std::vector<Activity> lacking = activities();
  lacking[1].begin_ns = lacking[1].end_ns = 0;
  const WindowTimes window = window_times(recording, estimate, rows_with(lacking));
  EXPECT_NEAR(window.other_s, 12e-6, 1e-12);
  EXPECT_EQ(window.kernels[0].launches, 1);
}

TEST_F(AWindow, HasNoKernelsWithoutATimeline) {
  EXPECT_TRUE(window_times(recording, estimate, RowList()).kernels.empty());
  EXPECT_NEAR(window_times(recording, estimate, RowList()).other_s, 52e-6, 1e-12);
}

TEST_F(AWindow, LeavesOutWhatIsNotMeasured) {
  estimate.launch_s[0] = 0;  // it is of the lead, or excluded
  EXPECT_EQ(window_times(recording, estimate, rows_with(activities())).kernels[0].launches, 1);
}

}  // namespace
}  // namespace kjoule
