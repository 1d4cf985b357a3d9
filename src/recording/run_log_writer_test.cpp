#include "recording/run_log_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

LoggedName named(const std::string& name) {
  return {false, 0, name, {2, 1, 1}, {64, 1, 1}, 16};
}

TEST(RunLogWriter, WritesWhatIsReadAgain) {
  const TemporaryFolder folder;
  RunLogWriter writer(folder.path());
  const uint32_t call = writer.number_of_call(77, [] { return named("step"); });
  EXPECT_EQ(writer.number_of_call(77, [] { return named("another"); }), call);
  const uint32_t operation = writer.number_of_operation(5, [] { return named("step(float*)"); });
  for (uint32_t i = 0; i < 100'000; ++i) {
    writer.add(HostCall{.time_ns = i, .value = 3, .name = call, .correlation = i, .operations = 1});
    writer.add(
        DeviceOperation{.begin_ns = 10 * i, .end_ns = 10 * i + 4, .name = operation, .correlation = i});
  }
  writer.add(LoggedDevice{1, "GPU-1"});
  writer.add(LoggedProcess{4321, 3});
  writer.add_dropped_operations(2);
  writer.finish();
  writer.add(HostCall{});  // ignored
  const RunLog log = read_run_log(folder.path());
  ASSERT_EQ(log.calls.size(), 100'000U);
  ASSERT_EQ(log.operations.size(), 100'000U);
  EXPECT_EQ(log.calls[99'999].correlation, 99'999U);
  ASSERT_EQ(log.call_names.size(), 1U);
  EXPECT_EQ(log.call_names[0].name, "step");
  EXPECT_EQ(log.process.process, 4321);
  EXPECT_EQ(log.process.rank, 3);
  EXPECT_EQ(log.operation_names[0].shared_bytes, 16U);
  ASSERT_EQ(log.devices.size(), 1U);
  EXPECT_EQ(log.devices[0].number, 1U);
  EXPECT_EQ(log.devices[0].uuid, "GPU-1");
  ASSERT_TRUE(log.end.has_value());
  EXPECT_EQ(log.end->dropped_calls, 0U);
  EXPECT_EQ(log.end->dropped_operations, 2U);
}

TEST(RunLogWriter, KeepsTheLaunchesAndOperationsOfOneDevice) {
  RunLog log;
  for (uint16_t device : {0, 1, 1}) {
    log.calls.push_back({.kind = HostCallKind::launch, .device = device});
    log.calls.push_back({.kind = HostCallKind::synchronise});
    log.operations.push_back({.device = device});
  }
  keep_device(1, log);
  EXPECT_EQ(log.operations.size(), 2U);
  EXPECT_EQ(std::ranges::count(log.calls, HostCallKind::launch, &HostCall::kind), 2);
  EXPECT_EQ(std::ranges::count(log.calls, HostCallKind::synchronise, &HostCall::kind), 3)
      << "the host may wait for any device";
}

TEST(RunLogWriter, LeavesAnIncompleteLogThatCanBeReadWhenItIsNotFinished) {
  const TemporaryFolder folder;
  {
    RunLogWriter writer(folder.path());
    writer.add(HostCall{.name = writer.number_of_call(1, [] { return named("a"); })});
  }
  const RunLog log = read_run_log(folder.path());
  EXPECT_EQ(log.calls.size(), 1U);
  EXPECT_FALSE(log.end.has_value());
}

constexpr uint32_t kRecords = 100'000;

void add_records(uint32_t first, uint32_t end, RunLogWriter& writer) {
  for (uint32_t i = first; i < end; ++i) {
    const uint32_t call = writer.number_of_call(i / 1000, [] { return named("step"); });
    writer.add(HostCall{.name = call, .correlation = i});
    const uint32_t operation = writer.number_of_operation(i / 1000, [] { return named("step(float*)"); });
    writer.add(DeviceOperation{.name = operation, .correlation = i});
  }
}

/// Waits until the writer has written some records.
void wait_for_records(const std::filesystem::path& folder) {
  while (std::filesystem::file_size(folder / kOperationsFile) <= sizeof(LogHead))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// Writes 100,000 calls and operations.
RunLog written_within(const LogBounds& bounds) {
  const TemporaryFolder folder;
  RunLogWriter writer(folder.path(), bounds);
  add_records(0, kRecords, writer);
  writer.finish();
  return read_run_log(folder.path());
}

void expect_all_counted(const RunLog& log) {
  ASSERT_TRUE(log.end.has_value());
  EXPECT_EQ(log.calls.size() + log.end->dropped_calls, kRecords);
  EXPECT_EQ(log.operations.size() + log.end->dropped_operations, kRecords);
}

TEST(RunLogWriter, CutsTheLogAtItsLimit) {
  const TemporaryFolder folder;
  RunLogWriter writer(folder.path(), {.most_bytes = 3 << 20, .least_free_bytes = 0});
  add_records(0, 30'000, writer);
  wait_for_records(folder.path());
  add_records(30'000, kRecords, writer);
  writer.finish();
  const RunLog log = read_run_log(folder.path());
  expect_all_counted(log);
  EXPECT_LE(40 * (log.calls.size() + log.operations.size()), 3U << 20);
  EXPECT_GT(log.calls.size(), 0U);
  EXPECT_EQ(log.end->cut, "the log has reached its largest size of 0.00293 GiB");
}

TEST(RunLogWriter, LeavesRoomOnTheFileSystem) {
  const RunLog log = written_within({.least_free_bytes = uint64_t{1} << 60});
  expect_all_counted(log);
  EXPECT_TRUE(log.calls.empty());
  EXPECT_NE(log.end->cut.find("is free in"), std::string::npos);
}

TEST(RunLogWriter, AWriteThatFailsCutsTheLog) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 1'500'000;  // bytes; a write beyond it fails, as on a full disk
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  const RunLog log = written_within({.least_free_bytes = 0});
  setrlimit(RLIMIT_FSIZE, &before);
  expect_all_counted(log);
  EXPECT_NE(log.end->cut.find("the limit on the size of files is reached; set TMPDIR to another folder"),
            std::string::npos);
}

TEST(RunLogWriter, ALogWithinItsBoundsIsNotCut) {
  const RunLog log = written_within({.least_free_bytes = 0});
  EXPECT_EQ(log.calls.size(), kRecords);
  EXPECT_EQ(log.end->cut, "");
}

TEST(RunLogWriter, ThrowsForAFolderThatDoesNotExist) {
  EXPECT_THROW(RunLogWriter("/no/such/folder"), Error);
}

}  // namespace
}  // namespace kjoule
