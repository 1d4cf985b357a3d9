#include "power/logs/power_log_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "power/logs/log_series.hpp"
#include "power/logs/power_log_writer.hpp"
#include "power/timestamp.hpp"

namespace kjoule {
namespace {

/// Tests in a time zone with summer time. TZ states its rules, so that no database of zones is needed.
class PowerLogReader : public testing::Test {
 protected:
  PowerLogReader() {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
  }
  ~PowerLogReader() override {
    unsetenv("TZ");
    tzset();
  }
  PowerLog read(const std::string& text, const ColumnNames& names = {}) const {
    write_atomic(folder_ / "log.csv", text);
    return read_power_log(folder_ / "log.csv", names);
  }
  std::string refusal(const std::string& text, const ColumnNames& names = {}) const {
    try {
      read(text, names);
    } catch (const Error& error) {
      return error.line();
    }
    return "no error";
  }
  TemporaryFolder folder_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(PowerLogReader, WattsUpHasASeriesForEachMeter) {
  const PowerLog log = read(
      "time,id,pm1,pm2,sum\n2026-02-04 10:15:23,0,125.3,118.7,244.0\n2026-02-04 "
      "10:15:24,1,126.1,119.2,245.3\n");
  EXPECT_EQ(log.format, "wattsup");
  ASSERT_EQ(log.series.size(), 2U);
  EXPECT_EQ(log.series[1].name, "pm2");
  EXPECT_EQ(log.series[0].samples[1].watts, 126.1);
  EXPECT_EQ(log.series[0].samples[1].unix_ns - log.series[0].samples[0].unix_ns, 1'000'000'000);
  EXPECT_EQ(log.series[0].samples[0].unix_ns, 1770196523LL * 1'000'000'000);  // 09:15:23 UTC
  EXPECT_TRUE(log.warnings.empty());
  EXPECT_EQ(chosen_series(log, {}).size(), 2U);
  EXPECT_EQ(log.series[0].lag.time_error_s, 0.5)
      << "a line has one time for readings of any time in its second";
}

TEST_F(PowerLogReader, WattsUpTimesMayHaveFractions) {
  const PowerLog log = read(
      "time,id,pm1,sum\n2026-02-05 01:53:44.020012,0,102.3,102.3\n2026-02-05 "
      "01:53:45.020679,1,102.2,102.2\n");
  EXPECT_EQ(log.format, "wattsup");
  ASSERT_EQ(log.series.size(), 1U);
  EXPECT_EQ(log.series[0].samples[1].unix_ns - log.series[0].samples[0].unix_ns, 1'000'667'000);
  EXPECT_EQ(log.series[0].lag.time_error_s, 0) << "the line has the time of its only reading";
}

TEST_F(PowerLogReader, OneMeterAndEmptyCells) {
  const PowerLog log = read(
      "time,id,pm1,pm2,sum\n2026-02-04 10:15:23,0,125.3,,125.3\n2026-02-04 10:15:24,1,,,\n2026-02-04 "
      "10:15:25,2,127,,127\n");
  ASSERT_EQ(log.series.size(), 1U);
  EXPECT_EQ(log.series[0].samples.size(), 2U);
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_EQ(log.warnings[0], "pm2 has no reading at all");
}

TEST_F(PowerLogReader, ASumThatIsNotTheMetersIsTold) {
  const PowerLog log = read("time,id,pm1,pm2,sum\n2026-02-04 10:15:23,0,125.3,118.7,999\n");
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_TRUE(contains(log.warnings[0], "whose sum differs from that of the meters"));
}

TEST_F(PowerLogReader, NvidiaSmiInAnyOrderWithUnitsAndWithout) {
  const PowerLog log = read(
      "index, power.draw [W], name, timestamp\n0, 80.12 W, NVIDIA H200, 2026/02/04 10:15:23.120\n"
      "1, 81.5, NVIDIA H200, 2026/02/04 10:15:23.121\n0, [N/A], NVIDIA H200, 2026/02/04 10:15:24.120\n"
      "0, 90 W, NVIDIA H200, 2026/02/04 10:15:25.120\n");
  EXPECT_EQ(log.format, "nvidia-smi");
  ASSERT_EQ(log.series.size(), 2U);
  EXPECT_EQ(log.series[0].name, "gpu 0");
  ASSERT_EQ(log.series[0].samples.size(), 2U);
  EXPECT_DOUBLE_EQ(log.series[0].samples[1].watts, 90);
  EXPECT_EQ(log.series[1].samples[0].unix_ns % 1'000'000'000, 121'000'000);
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_TRUE(contains(log.warnings[0], "1 line without a reading")) << log.warnings[0];
  EXPECT_THROW(chosen_series(log, {}), Error);
  EXPECT_EQ(chosen_series(log, {{"1"}, {}}).front()->name, "gpu 1");
  EXPECT_EQ(chosen_series(log, {{"all"}, {}}).size(), 2U);
  EXPECT_THROW(chosen_series(log, {{"7"}, {}}), Error);
}

TEST_F(PowerLogReader, GpuLogInUnixSecondsOrLocalTime) {
  const PowerLog unix_log = read("timestamp,gpu,power_w\n1770196523.5,0,300.125\n1770196523540,0,301\n");
  EXPECT_EQ(unix_log.format, "gpu");
  EXPECT_EQ(unix_log.series[0].samples[1].unix_ns - unix_log.series[0].samples[0].unix_ns, 40'000'000);
  const PowerLog local = read("timestamp,gpu,power_w\n2026-02-04 10:15:23.500,0,300.125\n");
  EXPECT_EQ(local.series[0].samples[0].unix_ns, unix_log.series[0].samples[0].unix_ns);
  const PowerLog zoned = read("timestamp,gpu,power_w\n2026-02-04T04:15:23.5-05:00,0,300.125\n");
  EXPECT_EQ(zoned.series[0].samples[0].unix_ns, unix_log.series[0].samples[0].unix_ns);
}

TEST_F(PowerLogReader, AnyCsvByTheNamesOfItsColumns) {
  const std::string text = "When;What;PSU [mW]\n2026-02-04 10:15:23;x;500000\n2026-02-04 10:15:24;y;501000\n";
  const PowerLog log = read(text, {"when", {"PSU [mW]"}});
  EXPECT_EQ(log.format, "csv");
  EXPECT_DOUBLE_EQ(log.series[0].samples[1].watts, 501);
  EXPECT_TRUE(contains(refusal(text, {"when", {"volts"}}), "no column volts"));
  EXPECT_TRUE(
      contains(refusal(text, {"when", {"volts"}}), "choose one of its columns: when, what, psu [mw]"));
  const PowerLog bare =
      read("2026/02/04 10:15:23.120, 0, 80.12 W\n2026/02/04 10:15:24.120, 0, 81 W\n", {"1", {"3"}});
  EXPECT_EQ(bare.series[0].samples.size(), 2U);
}

TEST_F(PowerLogReader, WhatIsMendedOrLeftOutIsCounted) {
  const PowerLog log = read(
      "timestamp,gpu,power_w\n100,0,1\n102,0,3\n101,0,2\n102,0,5\ngarbage\n103,0,watts\nnoon,0,3\n104,0,-5\n"
      "timestamp,gpu,power_w\n105,0,[N/A]\n106,0,4\n107,0,1");
  const auto& samples = log.series[0].samples;
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[1].watts, 2);
  EXPECT_EQ(samples[2].watts, 4);  // the mean of 3 and 5
  const std::vector<std::string> warnings{
      "1 line ignored: too few cells (the first is line 6)",
      "1 line ignored: time not readable (the first is line 8)",
      "2 lines ignored: power is not a number of at least 0 (the first is line 7)",
      "1 line without a reading of every meter (the first is line 11)",
      "1 line ignored: cut off by the end of the log (the first is line 13)",
      "1 reading out of order, now sorted",
      "1 reading has the same time as an earlier reading of the same meter; the mean of readings with the "
      "same time is used"};
  EXPECT_EQ(log.warnings, warnings);
}

TEST_F(PowerLogReader, WhatIsNoLogIsRefusedInOneLine) {
  EXPECT_TRUE(contains(refusal(""), "is empty"));
  EXPECT_TRUE(contains(refusal("dear,sir\nhow,are\n"), "is not a power log: it begins with \"dear,sir\""));
  EXPECT_TRUE(contains(refusal("timestamp,gpu,power_w\n"), "contains no reading"));
  EXPECT_TRUE(contains(refusal("timestamp,gpu,power_w\n1,0,[N/A]\n"), "contains no reading: 1 line without"));
  EXPECT_TRUE(contains(refusal("timestamp,gpu,power_w\n1,0,5\na\nb\n"), "contains only 1 reading: 2 lines"));
  EXPECT_TRUE(contains(refusal("\xFF\xFEt\0i\0"), "UTF-16"));
  EXPECT_TRUE(contains(refusal(std::string(300'000, '\1')), "is not a power log"));
  EXPECT_TRUE(contains(refusal("time,volts\n1,2\n", {"", {"volts2"}}), "no column volts2"));
}

TEST_F(PowerLogReader, TheHourThatOccursTwiceIsReadInItsOrder) {
  std::string text = "timestamp,gpu,power_w\n";
  // On 2026-10-25, the time from 02:00 to 03:00 occurs twice.
  for (const char* time :
       {"01:59:00", "02:00:00", "02:30:00", "02:59:59", "02:00:00", "02:30:00", "03:00:00"})
    text += std::string("2026-10-25 ") + time + ",0,100\n";
  const PowerLog log = read(text);
  const auto& samples = log.series[0].samples;
  ASSERT_EQ(samples.size(), 7U);
  EXPECT_EQ(samples[6].unix_ns - samples[0].unix_ns, 7260LL * 1'000'000'000);
  EXPECT_EQ(samples[5].unix_ns - samples[2].unix_ns, 3600LL * 1'000'000'000);
  EXPECT_TRUE(log.warnings.empty()) << log.warnings.front();
  EXPECT_EQ(moments_of("2026-10-25 02:30:00").size(), 2U);
  EXPECT_TRUE(contains(refusal("timestamp,gpu,power_w\n2026-10-25 02:30:00,0,100\n"), "occur twice"));
  const int64_t second = moments_of("2026-10-25 02:30:00").at(1);
  EXPECT_EQ(moment_near("2026-10-25 02:30:00", second + 1), second);
}

TEST_F(PowerLogReader, MidnightAndTheMissingHour) {
  const PowerLog log = read(
      "timestamp,gpu,power_w\n2026-12-31 23:59:59.960,0,100\n2027-01-01 00:00:00.000,0,100\n"
      "2027-03-28 01:59:59,0,100\n2027-03-28 03:00:00,0,100\n");
  const auto& samples = log.series[0].samples;
  EXPECT_EQ(samples[1].unix_ns - samples[0].unix_ns, 40'000'000);
  EXPECT_EQ(samples[3].unix_ns - samples[2].unix_ns, 1'000'000'000);
  EXPECT_TRUE(log.warnings.empty());
  EXPECT_TRUE(contains(refusal("timestamp,gpu,power_w\n2027-03-28 02:30:00,0,7\n"),
                       "1 of its times do not exist in this machine's time zone"));
}

TEST_F(PowerLogReader, TimestampsThatAreNone) {
  for (const char* text :
       {"", "2026-02-30 10:00:00", "2026-02-04", "2026-02-04 25:00:00", "2026-02-04 10:00:00x",
        "2026-02/04 10:00:00", "1e9", "-5", "99999999999999999999", "12.", "2026-02-04 10:00:00+1"})
    EXPECT_EQ(moments_of(text).size(), text == std::string("12.") ? 1U : 0U) << text;
}

/// Returns a log with 12 lines, one a second.
std::string lines_of(const std::string& header, const std::function<std::string(int)>& cells) {
  std::string text = header + "\n";
  for (int s = 0; s < 12; ++s) text += fmt::format("2026-02-04 10:15:{:02},{}\n", s, cells(s));
  return text;
}

TEST_F(PowerLogReader, OnlySmallNumbersThatRepeatAreDevices) {
  const auto powers =
      lines_of("timestamp,power_w,gpu", [](int s) { return fmt::format("{},{}", 40 + s, 200 + s % 4); });
  EXPECT_EQ(read(powers).series.size(), 1U) << "the column gpu has powers";
  EXPECT_EQ(read(powers).series[0].samples.size(), 12U);
  EXPECT_EQ(read(powers, {.powers = {"gpu"}}).series[0].samples[1].watts, 201) << "the user's option wins";
  const auto counter =
      lines_of("timestamp,index,power_w", [](int s) { return fmt::format("{},{}", s, 40 + s); });
  EXPECT_EQ(read(counter).series.size(), 1U) << "the column index counts lines";
  EXPECT_EQ(read(counter).format, "csv");
  const auto gpus =
      lines_of("timestamp,index,power_w", [](int s) { return fmt::format("{},{}", s % 2, 40 + s); });
  EXPECT_EQ(read(gpus).series.size(), 2U);
}

TEST_F(PowerLogReader, DevicesAreDistinguishedByHostsAndNames) {
  const auto hosts = lines_of("timestamp,host,gpu,power_w", [](int s) {
    return fmt::format("{},{},{}", s % 2 ? "b" : "a", s / 2 % 2, 40 + s);
  });
  const PowerLog log = read(hosts);
  ASSERT_EQ(log.series.size(), 4U);
  EXPECT_EQ(log.series[0].name, "host a gpu 0");
  EXPECT_THROW(chosen_series(log, {{"0"}, {}}), Error) << "there are two";
  EXPECT_EQ(chosen_series(log, {{"all"}, {}}).size(), 4U);
  const auto one =
      lines_of("timestamp,host,gpu,power_w", [](int s) { return fmt::format("a,0,{}", 40 + s); });
  EXPECT_EQ(read(one).series[0].name, "gpu 0") << "the host distinguishes nothing";
  const auto places = lines_of("timestamp,rack,power_w",
                               [](int s) { return fmt::format("{},{}", s % 2 ? "x" : "y", 40 + s); });
  EXPECT_TRUE(contains(refusal(places), "column 2 alternates between \"y\" and \"x\""));
  EXPECT_EQ(read(places, {.device = "rack"}).series[1].name, "rack x");
  EXPECT_EQ(read(places, {.device = "none"}).series.size(), 1U);
}

TEST_F(PowerLogReader, ColumnsAreAddedAndJoined) {
  const std::string text = "date,clock,cpu,gpu\n2026-02-04,10:15:00,40,200\n2026-02-04,10:15:01,41,201\n";
  const PowerLog log = read(text, {.time = "date+clock", .powers = {"cpu+gpu"}});
  EXPECT_EQ(log.series[0].name, "cpu+gpu");
  EXPECT_EQ(log.series[0].samples[1].watts, 242);
  EXPECT_EQ(log.series[0].samples[1].unix_ns - log.series[0].samples[0].unix_ns, 1'000'000'000);
  EXPECT_TRUE(contains(refusal(text), "--time-column date+clock --power-column cpu or --power-column gpu"));
  const PowerLog elapsed = read("elapsed_ms,power_w\n500,7\n1500,8\n", {.log_start_ns = 1'000'000'000});
  EXPECT_EQ(elapsed.series[0].samples[0].unix_ns, 1'500'000'000);
}

TEST_F(PowerLogReader, LinesBeforeTheHeaderAreCounted) {
  const PowerLog log = read("Logger 2.1\n\nby me\ntimestamp,gpu,power_w\n100,0,7\n");
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_EQ(log.warnings[0], "2 lines before the header skipped (the first begins with \"Logger 2.1\")");
}

/// Returns the text with random changes: inserted bytes and pieces of logs, and deleted parts.
std::string mangled(std::mt19937_64& random, std::string text) {
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  for (size_t times = 1 + below(12); times > 0; --times) {
    const size_t at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        text.insert(at, 1 + below(3), static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, below(40));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), below(60)));
        break;
      case 3:
        text.insert(at, std::vector<const char*>{",", "\"", "\r\n", "[N/A]", "1e999", "nan"}[below(6)]);
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST_F(PowerLogReader, MangledLogsAreReadOrRefusedInOneLine) {
  const std::string logs[] = {
      "time,id,pm1,pm2,sum\n2026-02-04 10:15:23,0,125.3,118.7,244.0\n2026-02-04 "
      "10:15:24,1,126.1,119.2,245.3\n",
      "timestamp,gpu,power_w\n2026-02-04 10:15:23.500,0,300.125\n2026-02-04 10:15:23.540,1,301\n",
      "timestamp, index, power.draw [W]\n2026/02/04 10:15:23.500, 0, 300.12 W\n"};
  std::mt19937_64 random(1);
  size_t read_well = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    try {
      const PowerLog log = read(mangled(random, logs[turn % 3]));
      ++read_well;
      for (const PowerSeries& series : log.series) {
        EXPECT_FALSE(series.samples.empty());
        for (size_t i = 0; i < series.samples.size(); ++i) {
          EXPECT_GT(series.samples[i].watts, 0);
          EXPECT_TRUE(i == 0 || series.samples[i - 1].unix_ns < series.samples[i].unix_ns);
        }
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.line().find('\n'), std::string::npos);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_GT(read_well, 50U);
}

/// Returns a random log whose times increase and whose times and powers have the resolution of the format.
PowerLog any_log(const std::string& format, size_t series, int64_t time_step_ns, double per_watt) {
  PowerLog log;
  log.format = format;
  for (size_t s = 0; s < series; ++s) {
    PowerSeries one;
    one.name = format == "wattsup" ? (s == 0 ? "pm1" : "pm2") : "gpu " + std::to_string(s);
    int64_t time = 1'766'000'000'000'000'000 + *rc::gen::inRange<int64_t>(0, 20'000'000) * 1'000'000'000;
    const auto count = *rc::gen::inRange<size_t>(1, 30);
    for (size_t i = 0; i < count; ++i) {
      time += time_step_ns * *rc::gen::inRange<int64_t>(1, 200);
      one.samples.push_back({time, static_cast<double>(*rc::gen::inRange(1, 200'000)) / per_watt});
    }
    log.series.push_back(std::move(one));
  }
  return log;
}

RC_GTEST_FIXTURE_PROP(PowerLogReader, WhatIsWrittenIsReadBack, ()) {
  const auto kind = *rc::gen::inRange(0, 3);
  const auto series = *rc::gen::inRange<size_t>(1, 3);
  const PowerLog log = kind == 0   ? any_log("wattsup", series, 1'000'000'000, 10)
                       : kind == 1 ? any_log("gpu", series, 1'000'000, 1000)
                                   : any_log("nvidia-smi", series, 1'000'000, 100);
  const PowerLog back = read(power_log_text(log));
  RC_ASSERT(back.format == log.format);
  RC_ASSERT(back.series.size() == log.series.size());
  for (const PowerSeries& wanted : log.series) {
    const PowerSeries* got = nullptr;
    for (const PowerSeries& one : back.series)
      if (one.name == wanted.name) got = &one;
    RC_ASSERT(got != nullptr);
    RC_ASSERT(got->samples.size() == wanted.samples.size());
    for (size_t i = 0; i < wanted.samples.size(); ++i) {
      RC_ASSERT(got->samples[i].unix_ns == wanted.samples[i].unix_ns);
      RC_ASSERT(std::abs(got->samples[i].watts - wanted.samples[i].watts) < 1e-9);
    }
  }
}

TEST(PowerLogText, RefusesWhatAFormatCannotHold) {
  PowerLog log;
  log.format = "csv";
  EXPECT_THROW(power_log_text(log), Error);
  log.format = "wattsup";
  EXPECT_THROW(power_log_text(log), Error);
}

}  // namespace
}  // namespace kjoule
