#include "report/run_timeline.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kjoule {
namespace {

/// A run of 10 iterations of two kernels, which overlap on two streams, of two GPUs if that is asked for.
RunLog log_of_loop(uint16_t second_device = 0) {
  RunLog log;
  for (uint32_t name = 0; name < 2; ++name) {
    log.call_names.push_back({true, name, name == 0 ? "first" : "second", {}, {}});
    log.operation_names.push_back({false, name, name == 0 ? "first" : "second", {1, 1, 1}, {32, 1, 1}});
  }
  for (uint32_t i = 0; i < 20; ++i) {
    const uint32_t name = i % 2;
    const int64_t begin_ns = 1'000'000 + 1'000 * int64_t{i};
    log.calls.push_back({.time_ns = int64_t{i} * 100, .value = name, .name = name, .correlation = i + 1});
    log.operations.push_back({.begin_ns = begin_ns,
                              .end_ns = begin_ns + 1'500,
                              .name = name,
                              .correlation = i + 1,
                              .stream = 7 + name,
                              .device = name == 1 ? second_device : uint16_t{0}});
  }
  return log;
}

Timeline timeline_of_run(const RunLog& log, size_t most_operations = kMostTimelineOperations) {
  KernelRules rules;
  const RunSummary summary = summarize(log);
  const RunEnergy energy;
  return run_timeline({"./program", log, summary, 0, energy}, rules, most_operations);
}

std::vector<nlohmann::json> events(const Timeline& timeline, const std::string& phase,
                                   const std::string& category = "") {
  std::vector<nlohmann::json> found;
  const nlohmann::json all = nlohmann::json::parse(timeline_chrome(timeline));
  for (const nlohmann::json& event : all.at("traceEvents"))
    if (event.at("ph") == phase && (category.empty() || event.at("cat") == category)) found.push_back(event);
  return found;
}

TEST(RunTimeline, HasAllOperationsAndTheParts) {
  const Timeline timeline = timeline_of_run(log_of_loop());
  ASSERT_EQ(timeline.bars.size(), 20U);
  const auto kernels = events(timeline, "X", "kernel");
  ASSERT_EQ(kernels.size(), 20U);
  EXPECT_EQ(kernels[1].at("name"), "first");
  EXPECT_EQ(kernels[1].at("ts"), 2.0);
  EXPECT_EQ(kernels[1].at("dur"), 1.5);
  const auto parts = events(timeline, "X", "part");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].at("name"), "loop: 10 iterations of 2 launches");
  EXPECT_EQ(parts[0].at("ts"), 0.0);
  EXPECT_EQ(parts[0].at("dur"), 20.5);
  std::vector<std::string> rows;
  for (const auto& event : events(timeline, "M"))
    if (event.at("name") == "thread_name") rows.push_back(event.at("args").at("name"));
  EXPECT_EQ(rows, (std::vector<std::string>{"stream 7", "stream 8", "parts"}));
}

TEST(RunTimeline, PartsThatOverlapHaveRowsOfTheirOwn) {
  Timeline timeline = timeline_of_run(log_of_loop());
  timeline.parts = {
      {"a", 1'000'000, 1'010'000, 0}, {"b", 1'009'000, 1'012'000, 1}, {"c", 1'010'000, 1'020'000, 0}};
  const auto parts = events(timeline, "X", "part");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_NE(parts[0].at("tid"), parts[1].at("tid"));
  EXPECT_EQ(parts[0].at("tid"), parts[2].at("tid"));
}

TEST(RunTimeline, IsBounded) {
  EXPECT_EQ(timeline_of_run(log_of_loop(), 5).bars.size(), 5U);
}

TEST(RunTimeline, StreamsOfAnotherGpuAreOtherRows) {
  const std::string text = timeline_chrome(timeline_of_run(log_of_loop(1)));
  EXPECT_NE(text.find("\"stream 7\""), std::string::npos);
  EXPECT_NE(text.find("\"GPU 1, stream 8\""), std::string::npos);
}

}  // namespace
}  // namespace kjoule
