#include "run/measured_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/process/temporary_folder.hpp"
#include "simulated/device.hpp"

namespace kjoule {
namespace {

/// A simulated device whose timeline comes from a function of the test.
class Observed final : public Device {
 public:
  using Observe = std::function<std::optional<Observation>(SimulatedDevice&)>;
  Observed(SimulatedDevice& device, Observe observe) : device_(device), observe_(std::move(observe)) {}
  const DeviceInfo& info() const override { return device_.info(); }
  Recording record() override { return device_.record(); }
  Verification verify() override { return device_.verify(); }
  std::unique_ptr<Track> open(const TrackSpec& spec) override { return device_.open(spec); }
  std::optional<Observation> observe() override { return observe_(device_); }
  void begin_round(int round) override { device_.begin_round(round); }

 private:
  SimulatedDevice& device_;
  Observe observe_;
};

class ObservedRun : public testing::Test {
 protected:
  /// Returns the result of observe() of a run, and keeps the run's rows in rows_.
  bool observe(Observed::Observe how, bool resume = false) {
    Subject subject;
    subject.device = std::make_unique<Observed>(device_, std::move(how));
    subject.clock = &device_.clock();
    subject.program = {{"asked", "a test"}};
    RunOptions options;
    (resume ? options.resume : options.output_dir) = folder_ / "results";
    MeasuredRun run("compare", subject, options);
    run.record();
    const bool kept = run.observe();
    rows_ = run.rows();
    return kept;
  }
  std::optional<ReadTimeline> row() const { return rows_.first<ReadTimeline>(); }

  TemporaryFolder folder_;
  SimulatedDevice device_{parse_simulated_spec("launches=40")};
  RowList rows_;
};

TEST_F(ObservedRun, KeepsTheObservationAndAsksOnlyOnce) {
  EXPECT_TRUE(observe([](SimulatedDevice& device) { return device.observe(); }));
  const nlohmann::json kept = write_fields(row().value());
  EXPECT_EQ(observation_in(rows_).value().iteration.size(), 40u);
  EXPECT_TRUE(
      observe([](SimulatedDevice&) -> std::optional<Observation> { throw Error("asked again"); }, true));
  EXPECT_EQ(write_fields(row().value()), kept);
}

TEST_F(ObservedRun, AFailureIsARowAndNoAbort) {
  EXPECT_TRUE(observe([](SimulatedDevice&) -> std::optional<Observation> { throw Error("no permission"); }));
  EXPECT_EQ(row().value().error, "no permission");
  EXPECT_THROW(observation_in(rows_), Error);
}

TEST_F(ObservedRun, ALostDeviceEndsTheRunAndItIsAskedAgain) {
  const auto lost = [](SimulatedDevice&) -> std::optional<Observation> {
    throw DeviceError("killed", "", {}, true);
  };
  EXPECT_THROW(observe(lost), DeviceError);
  EXPECT_TRUE(observe([](SimulatedDevice& device) { return device.observe(); }, true));
  EXPECT_TRUE(row().value().observation.has_value());
}

TEST_F(ObservedRun, ADeviceWithoutATimelineHasNoRow) {
  EXPECT_FALSE(observe([](SimulatedDevice&) { return std::nullopt; }));
  EXPECT_FALSE(row().has_value());
}

/// A simulated device that is lost when one of its launches is repeated in isolation.
class Lost final : public Device {
 public:
  Lost(SimulatedDevice& device, LaunchIndex launch, std::function<void()> fail)
      : device_(device), launch_(launch), fail_(std::move(fail)) {}
  const DeviceInfo& info() const override { return device_.info(); }
  Recording record() override { return device_.record(); }
  Verification verify() override { return device_.verify(); }
  std::unique_ptr<Track> open(const TrackSpec& spec) override {
    const auto* work = std::get_if<StampedWork>(&spec);
    if (work != nullptr && work->launches.back() == launch_ &&
        std::ranges::count(work->launches, launch_) > 1)
      fail_();
    return device_.open(spec);
  }
  std::optional<Observation> observe() override { return device_.observe(); }
  void begin_round(int round) override { device_.begin_round(round); }

 private:
  SimulatedDevice& device_;
  LaunchIndex launch_;
  std::function<void()> fail_;
};

Subject subject_on(SimulatedDevice& device, LaunchIndex lost_by, const std::function<void()>& fail) {
  Subject subject;
  subject.device = std::make_unique<Lost>(device, lost_by, fail);
  subject.clock = &device.clock();
  subject.program = {{"asked", "a test"}};
  return subject;
}

/// Measures the kernels in isolation, of which the second one fails.
void expect_row_of_lost_kernel(SimulatedDevice& device, const TemporaryFolder& folder,
                               const std::function<void()>& fail, const std::string& error) {
  const KernelTable table = kernel_table(device.record());
  ASSERT_GT(table.kernels.size(), 2u);
  Subject subject = subject_on(device, table.kernels[1].places.front(), fail);
  RunOptions options;
  options.output_dir = folder / "results";
  MeasuredRun run("compare", subject, options);
  run.record();
  run.observe();
  const std::vector<IsolatedKernel> isolated = run.isolated();
  ASSERT_EQ(isolated.size(), 2u) << "the kernels after it cannot be measured";
  EXPECT_GT(isolated[0].single_s, 0);
  EXPECT_EQ(isolated[1].error, error);
  EXPECT_EQ(isolated[1].single_s, 0) << "no time was read";
  EXPECT_EQ(run.rows().count<IsolatedKernel>(), 2u) << "the rows are kept";
}

TEST_F(ObservedRun, AKernelThatNeverEndsInIsolationIsItsRow) {
  expect_row_of_lost_kernel(
      device_, folder_, [] { throw StuckError("replayed work of program did not end within 30 s"); },
      "does not end when it is repeated in isolation (replayed work of program did not end within 30 s)");
}

TEST_F(ObservedRun, KernelsForWhichNoTimeIsLeftHaveRowsThatSaySo) {
  Subject subject = subject_on(device_, LaunchIndex{1'000'000}, [] {});  // never lost
  RunOptions options;
  options.output_dir = folder_ / "results";
  MeasuredRun run("compare", subject, options);
  run.record();
  const std::vector<IsolatedKernel> isolated = run.isolated(1e-9);
  ASSERT_EQ(isolated.size(), run.table().kernels.size());
  EXPECT_GT(isolated.front().single_s, 0) << "one kernel is measured whatever it takes";
  EXPECT_EQ(isolated.back().error, "the 1e-09 s for kernels in isolation were used up by earlier kernels");
  EXPECT_EQ(isolated.back().single_s, 0);
}

TEST_F(ObservedRun, AKernelThatFaultsInIsolationIsItsRow) {
  expect_row_of_lost_kernel(
      device_, folder_, [] { throw DeviceError("an illegal memory access was encountered", "", {}, true); },
      "fails when it is repeated in isolation (an illegal memory access was encountered)");
}

}  // namespace
}  // namespace kjoule
