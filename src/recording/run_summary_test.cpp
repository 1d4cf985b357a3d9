#include "recording/run_summary.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

/// A log in a folder, as the injected library writes it.
class WrittenLog {
 public:
  WrittenLog() {
    write_head(kCallsFile, kCallsMagic, sizeof(HostCall));
    write_head(kOperationsFile, kOperationsMagic, sizeof(DeviceOperation));
    append(kNamesFile, "");
  }

  void name(bool of_call, uint32_t number, const std::string& name) {
    append(kNamesFile, write_fields(LoggedName{of_call, number, name, {1, 1, 1}, {32, 1, 1}}).dump() + "\n");
  }
  void end() { append(kNamesFile, write_fields(LogEnd{}).dump() + "\n"); }
  /// A launch of kernel `name` that begins at `begin_us` on the device.
  void launch(uint32_t name, int64_t begin_us, int64_t us, uint32_t stream = 7) {
    const uint32_t correlation = ++launches_;
    write(kCallsFile, HostCall{.time_ns = launches_ * 1000,
                               .value = name,
                               .name = name,
                               .correlation = correlation,
                               .operations = 1,
                               .stream = stream});
    write(kOperationsFile, DeviceOperation{.begin_ns = begin_us * 1000,
                                           .end_ns = (begin_us + us) * 1000,
                                           .name = name,
                                           .correlation = correlation,
                                           .stream = stream});
  }
  void synchronise() {
    write(kCallsFile, HostCall{.time_ns = launches_ * 1000 + 500, .kind = HostCallKind::synchronise});
  }
  void append(const char* file, const std::string& bytes) {
    std::ofstream(folder_.path() / file, std::ios::binary | std::ios::app) << bytes;
  }
  RunLog read() const { return read_run_log(folder_.path()); }
  std::string error() const {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  template <typename Record>
  void write(const char* file, const Record& record) {
    append(file, {reinterpret_cast<const char*>(&record), sizeof record});
  }
  void write_head(const char* file, const std::array<char, 8>& magic, size_t bytes) {
    write(file, LogHead{magic, kRunLogVersion, static_cast<uint32_t>(bytes)});
  }

  TemporaryFolder folder_;
  uint32_t launches_ = 0;
};

/// A run of a set-up and a loop of 20 iterations of two kernels.
void write_loop(WrittenLog& log) {
  for (const bool of_call : {true, false}) {
    log.name(of_call, 0, "init");
    log.name(of_call, 1, "step");
    log.name(of_call, 2, "add");
  }
  log.launch(0, 0, 10);
  log.synchronise();
  for (int64_t i = 0; i < 20; ++i) {
    log.launch(1, 100 + 10 * i, 5);
    log.launch(2, 106 + 10 * i, 3);
  }
}

TEST(Summarize, ReportsKernelsPartsAndTimesOfARun) {
  WrittenLog log;
  write_loop(log);
  log.end();
  const RunSummary summary = summarize(log.read());
  EXPECT_EQ(summary.launches, 41U);
  EXPECT_EQ(summary.synchronisations, 1U);
  EXPECT_EQ(summary.times.operations, 41U);
  EXPECT_EQ(summary.times.busy_ns, 10'000 + 20 * 8'000);
  EXPECT_EQ(summary.times.span_ns(), 299'000);
  EXPECT_EQ(summary.times.gap_ns(), 299'000 - 170'000);
  ASSERT_EQ(summary.kernels.size(), 3U);
  EXPECT_EQ(summary.kernels[0].name, 1U);
  EXPECT_EQ(summary.kernels[0].count, 20U);
  EXPECT_EQ(summary.kernels[0].total_ns, 100'000);
  ASSERT_EQ(summary.kinds.size(), 2U);
  EXPECT_EQ(summary.kinds[0].period, 2U);
  EXPECT_EQ(summary.kinds[0].iterations, 20U);
  EXPECT_EQ(summary.kinds[0].times.busy_ns, 160'000);
  EXPECT_EQ(summary.kinds[1].launches, 1U);
  ASSERT_EQ(summary.part_times.size(), 2U);
  EXPECT_EQ(summary.part_times[0].end_ns, 10'000);
  EXPECT_EQ(summary.part_times[1].begin_ns, 100'000);
  EXPECT_EQ(summary.part_times[1].end_ns, 299'000);
}

TEST(Summarize, CountsOverlapOfStreamsOnce) {
  WrittenLog log;
  log.name(true, 0, "a");
  log.name(false, 0, "a");
  log.launch(0, 0, 10, 7);
  log.launch(0, 5, 10, 8);
  const RunSummary summary = summarize(log.read());
  EXPECT_EQ(summary.times.busy_ns, 15'000);
  EXPECT_EQ(summary.times.overlap_ns(), 5'000);
}

TEST(Summarize, AnEmptyRunHasNoTimes) {
  const RunSummary summary = summarize(WrittenLog().read());
  EXPECT_EQ(summary.times.span_ns(), 0);
  EXPECT_TRUE(summary.kinds.empty());
}

TEST(ReadRunLog, AKilledProgramLeavesWhatWasWritten) {
  WrittenLog log;
  write_loop(log);
  log.append(kNamesFile, R"({"of_call": true, "num)");
  log.append(kCallsFile, "half a record");
  const RunLog read = log.read();
  EXPECT_FALSE(read.end.has_value());
  EXPECT_EQ(read.calls.size(), 42U);
  EXPECT_EQ(read.operations.size(), 41U);
}

TEST(ReadRunLog, RefusesForeignFiles) {
  for (const char* file : {kCallsFile, kOperationsFile}) {
    const TemporaryFolder folder;
    for (const char* any : {kCallsFile, kOperationsFile, kNamesFile})
      std::ofstream(folder.path() / any) << "{}\n";
    EXPECT_THROW(read_run_log(folder.path()), Error) << file;
  }
  WrittenLog wrong;
  wrong.append(kNamesFile, "[1]\n");
  EXPECT_NE(wrong.error().find("line 1: this line is not a JSON object"), std::string::npos);
  WrittenLog skipped;
  skipped.name(true, 3, "late");
  EXPECT_NE(skipped.error().find("is not the previous one + 1"), std::string::npos);
}

TEST(ReadRunLog, RefusesRecordsWithoutNames) {
  WrittenLog log;
  log.launch(0, 0, 1);
  EXPECT_TRUE(log.read().calls.empty());  // the program was killed before the name was written
  log.end();
  EXPECT_NE(log.error().find("a record refers to a name that names.jsonl lacks"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
