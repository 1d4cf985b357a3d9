#include "recording/run_log_writer.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"

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
  writer.add_dropped_operations(2);
  writer.finish();
  writer.add(HostCall{});  // ignored
  const RunLog log = read_run_log(folder.path());
  ASSERT_EQ(log.calls.size(), 100'000U);
  ASSERT_EQ(log.operations.size(), 100'000U);
  EXPECT_EQ(log.calls[99'999].correlation, 99'999U);
  ASSERT_EQ(log.call_names.size(), 1U);
  EXPECT_EQ(log.call_names[0].name, "step");
  EXPECT_EQ(log.operation_names[0].shared_bytes, 16U);
  ASSERT_EQ(log.devices.size(), 1U);
  EXPECT_EQ(log.devices[0].number, 1U);
  EXPECT_EQ(log.devices[0].uuid, "GPU-1");
  ASSERT_TRUE(log.end.has_value());
  EXPECT_EQ(log.end->dropped_calls, 0U);
  EXPECT_EQ(log.end->dropped_operations, 2U);
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

TEST(RunLogWriter, ThrowsForAFolderThatDoesNotExist) {
  EXPECT_THROW(RunLogWriter("/no/such/folder"), Error);
}

}  // namespace
}  // namespace kjoule
