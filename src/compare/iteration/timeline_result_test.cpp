#include "compare/iteration/timeline_result.hpp"

#include <gtest/gtest.h>

#include "simulated/device.hpp"

namespace kjoule {
namespace {

/// Returns rows that contain only a timeline.
RowList rows_with(const ReadTimeline& timeline) {
  return RowList(std::vector<nlohmann::json>{stored_row(timeline)});
}

Recording recording_of(size_t launches) {
  Recording recording;
  recording.launches.resize(launches);
  return recording;
}

TEST(TimelineResult, IsMissingWhereTheDeviceKeepsNone) {
  EXPECT_FALSE(timeline_result(RowList(), recording_of(40)).has_value());
}

TEST(TimelineResult, SaysWhyItCouldNotBeRead) {
  EXPECT_EQ(timeline_result(rows_with({{}, "no permission"}), recording_of(40)).value().error,
            "no permission");
}

TEST(TimelineResult, DoesNotUseTimesOfOtherLaunches) {
  SimulatedDevice device(parse_simulated_spec("launches=40"));
  device.record();
  Observation seen = device.observe().value();
  seen.launch_s.pop_back();
  seen.iteration.front().begin_ns = seen.iteration.front().end_ns = 0;
  const TimelineResult result = timeline_result(rows_with({seen, ""}), recording_of(40)).value();
  EXPECT_TRUE(result.launch_s.empty());
  EXPECT_EQ(result.launch_s_missing,
            "the device's timeline contains times of 39 launches, but the iteration has 40");
  EXPECT_FALSE(result.totals.has_value()) << "one has no times";
}

}  // namespace
}  // namespace kjoule
