#include "power/logs/log_lines.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/process/temporary_folder.hpp"
#include "power/logs/power_log_reader.hpp"

namespace kjoule {
namespace {

constexpr int64_t kBegin = 1'770'200'123'000'000'000;  // a whole second
constexpr int64_t kSecondOfLog = 1'000'000'000;

class LoggedLines : public testing::Test {
 protected:
  PowerLog read(const std::string& text) {
    std::ofstream(folder_.path() / "log.csv") << text;
    return read_power_log(folder_.path() / "log.csv");
  }
  TemporaryFolder folder_;
};

TEST_F(LoggedLines, OfWattsUpMetersAreRead) {
  const LogLines lines(LogLines::Format::wattsup, {"a", "b"});
  const PowerLog log = read(lines.header() + lines.readings(kBegin, 1, {101.5, 99.0}) +
                            lines.readings(kBegin + kSecondOfLog, 2, {102.5, std::nullopt}));
  ASSERT_EQ(log.series.size(), 2u);
  ASSERT_EQ(log.series[0].samples.size(), 2u);
  EXPECT_EQ(log.series[0].samples[1].unix_ns, kBegin + kSecondOfLog);
  EXPECT_EQ(log.series[0].samples[1].watts, 102.5);
  EXPECT_EQ(log.series[1].samples.size(), 1u) << "a second without a reading is none";
}

TEST_F(LoggedLines, OfOneWattsUpMeterAreRead) {
  const LogLines lines(LogLines::Format::wattsup, {"a"});
  const PowerLog log = read(lines.header() + lines.readings(kBegin, 1, {101.5}));
  ASSERT_EQ(log.series.size(), 1u);
  EXPECT_EQ(log.series[0].samples.at(0).watts, 101.5);
}

TEST_F(LoggedLines, OfGpusAreRead) {
  const LogLines lines(LogLines::Format::gpu, {"0", "1"});
  const PowerLog log = read(lines.header() + lines.gpu(kBegin + 40'000'000, "0", 481.25) +
                            lines.gpu(kBegin + 41'000'000, "1", 80));
  ASSERT_EQ(log.series.size(), 2u);
  EXPECT_EQ(log.series[0].samples.at(0).unix_ns, kBegin + 40'000'000);
  EXPECT_EQ(log.series[0].samples.at(0).watts, 481.25);
}

TEST_F(LoggedLines, OfOtherMetersAreRead) {
  const LogLines lines(LogLines::Format::columns, {"package-0"});
  const PowerLog log = read(lines.header() + lines.moment(kBegin, {65.5}));
  ASSERT_EQ(log.series.size(), 1u);
  EXPECT_EQ(log.series[0].name, "package-0");
  EXPECT_EQ(log.series[0].samples.at(0).watts, 65.5);
}

}  // namespace
}  // namespace kjoule
