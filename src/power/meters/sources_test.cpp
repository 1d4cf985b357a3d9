#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "power/instant.hpp"
#include "power/logs/cells.hpp"
#include "power/logs/log_lines.hpp"
#include "power/meters/csv_source.hpp"
#include "power/meters/meter_sum.hpp"
#include "power/meters/nvidia_smi.hpp"
#include "power/meters/nvml_samples.hpp"
#include "power/meters/polled_meter.hpp"
#include "power/meters/power_points.hpp"
#include "power/meters/rapl.hpp"
#include "power/timestamp.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

TEST(Rapl, WrapsAround) {
  const TemporaryFolder folder;
  const fs::path domain = folder / "intel-rapl:0";
  fs::create_directories(domain);
  write_atomic(domain / "name", "package-0");
  write_atomic(domain / "max_energy_range_uj", "1000000000");
  write_atomic(domain / "energy_uj", "999999000");
  auto source = rapl_source(folder.path());
  const auto meter = source->open(source->find().at(0));
  EXPECT_DOUBLE_EQ(meter->read().at(0).value, 999.999);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  write_atomic(domain / "energy_uj", "2000");
  EXPECT_DOUBLE_EQ(meter->read().at(0).value, 1000.002);
  EXPECT_TRUE(meter->take_notes().empty());
  write_atomic(domain / "energy_uj", "900000000");
  EXPECT_DOUBLE_EQ(meter->read().at(0).value, 1900);
  write_atomic(domain / "energy_uj", "500000000");  // 600 J in a moment: a reset, no wrap
  EXPECT_DOUBLE_EQ(meter->read().at(0).value, 1500);
  EXPECT_EQ(meter->take_notes().size(), 1U);
}

TEST(Rapl, TakesPackagesAndTheirMemoryOnce) {
  const TemporaryFolder folder;
  const auto add = [&folder](const std::string& domain, const std::string& name) {
    fs::create_directories(folder / domain);
    write_atomic(folder / domain / "name", name);
    write_atomic(folder / domain / "energy_uj", "1");
  };
  add("intel-rapl:0", "package-0");
  add("intel-rapl:0:0", "core");
  add("intel-rapl:0:1", "dram");
  add("intel-rapl:1", "psys");
  add("intel-rapl-mmio:0", "package-0");
  const auto found = rapl_source(folder.path())->find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].facts.name, "package-0");
  EXPECT_EQ(found[1].facts.name, "package-0 dram");
}

TEST(Rapl, PackagesOfSeveralSocketsHaveASum) {
  const TemporaryFolder folder;
  const auto consume = [&folder](const std::string& domain, const std::string& uj) {
    write_atomic(folder / domain / "energy_uj", uj);
  };
  for (const auto& [domain, name] :
       {std::pair{"intel-rapl:0", "package-0"}, {"intel-rapl:0:0", "dram"}, {"intel-rapl:1", "package-1"}}) {
    fs::create_directories(folder / domain);
    write_atomic(folder / domain / "name", name);
    consume(domain, "1000000");
  }
  auto source = rapl_source(folder.path());
  std::vector<std::unique_ptr<Meter>> packages;
  for (const FoundMeter& found : rapl_packages(source->find())) packages.push_back(source->open(found));
  ASSERT_EQ(packages.size(), 2U);
  CounterSum sum(std::move(packages));
  EXPECT_EQ(sum.facts().name, "package-0+package-1");
  EXPECT_DOUBLE_EQ(sum.read().at(0).value, 2);
  consume("intel-rapl:0", "4000000");
  consume("intel-rapl:1", "6000000");
  EXPECT_DOUBLE_EQ(sum.read().at(0).value, 10);
  fs::remove_all(folder / "intel-rapl:1");
  EXPECT_THROW(sum.read(), Error);
}

TEST(NvmlSamples, OfOtherGpusAreReadThoughOneGpuIsLost) {
  setenv("KJOULE_NVML", KJOULE_FAKE_NVML, 1);
  setenv("FAKE_NVML_GPUS", "2", 1);
  setenv("FAKE_NVML_LOST_GPU", "0", 1);
  const auto found = nvml_samples_source()->find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].facts.name, "gpu 1");
  EXPECT_NO_THROW(nvml_samples_source()->open(found[0]));
  const auto told = [](const auto& step) -> std::string {
    try {
      step();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told([] { (void)Nvml::open()->device("GPU-fake-0"); }), "the GPU is lost: GPU is lost");
  setenv("FAKE_NVML_GPUS", "1", 1);
  EXPECT_EQ(told([] { (void)nvml_samples_source()->find(); }), "the GPU is lost: GPU is lost");
  for (const char* name : {"KJOULE_NVML", "FAKE_NVML_GPUS", "FAKE_NVML_LOST_GPU"}) unsetenv(name);
}

TEST(NvmlSamples, OfOtherGpusAreReadThoughOneGpuIsLostMeanwhile) {
  setenv("KJOULE_NVML", KJOULE_FAKE_NVML, 1);
  setenv("FAKE_NVML_GPUS", "2", 1);
  setenv("FAKE_NVML_LOSES_GPU", "0", 1);
  for (const auto& source : {nvml_samples_source, nvml_counter_source}) {
    const auto found = source()->find();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].facts.name, "gpu 0");
    EXPECT_EQ(found[0].lack, "the GPU is lost: GPU is lost");
    EXPECT_THROW(source()->open(found[0]), Error);
    EXPECT_EQ(found[1].lack, "");
    EXPECT_NO_THROW(source()->open(found[1]));
  }
  for (const char* name : {"KJOULE_NVML", "FAKE_NVML_GPUS", "FAKE_NVML_LOSES_GPU"}) unsetenv(name);
}

TEST(NvmlSamples, BoardsWithoutPowerSaySo) {
  setenv("KJOULE_NVML", KJOULE_FAKE_NVML, 1);
  setenv("FAKE_NVML_LACKS", "samples,instant,average", 1);
  const auto found = nvml_samples_source()->find();
  EXPECT_NE(found.at(0).lack.find("N/A"), std::string::npos);
  EXPECT_THROW(nvml_samples_source()->open(found.at(0)), Error);
  setenv("FAKE_NVML_LACKS", "samples,instant", 1);
  EXPECT_DOUBLE_EQ(nvml_samples_source()->find().at(0).facts.averaging_s, 1);
  unsetenv("FAKE_NVML_LACKS");
  setenv("FAKE_NVML_START", "9", 1);
  EXPECT_THROW(nvml_samples_source()->find(), Error);
  unsetenv("FAKE_NVML_START");
  unsetenv("KJOULE_NVML");
}

TEST(SmiColumns, InAnyOrderWithOrWithoutUnits) {
  auto columns = SmiColumns::of_header("power.draw [W], uuid, index, power.draw.instant [W], timestamp");
  ASSERT_TRUE(columns);
  const auto row = columns->row("70.00 W, GPU-1, 0, 71.25 W, 2026/02/04 10:15:23.500");
  ASSERT_TRUE(row);
  EXPECT_DOUBLE_EQ(row->watts.value(), 71.25) << "the instant power, wherever it stands";
  EXPECT_EQ(row->uuid, "GPU-1");
  EXPECT_EQ(row->unix_ns, moment_of("2026-02-04 10:15:23.500"));
  EXPECT_DOUBLE_EQ(columns->row("70, GPU-1, 0, 71.25, 2026/02/04 10:15:23.500")->watts.value(), 71.25);
  EXPECT_FALSE(columns->row("70, GPU-1, 0, [N/A], 2026/02/04 10:15:23.500")->watts);
  EXPECT_FALSE(columns->row("70, GPU-1"));
  EXPECT_THROW(columns->row("70, GPU-1, 0, 71250 mW, 2026/02/04 10:15:23.500"), Error);
  EXPECT_FALSE(SmiColumns::of_header("No devices were found"));
}

class Csv : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(file_, std::ios::app) << text; }
  static std::string now() { return local_timestamp(instant_now().unix_ns); }
  TemporaryFolder folder_;
  fs::path file_ = folder_ / "log.csv";
};

TEST_F(Csv, FollowsEachGpuOfAFileThatGrows) {
  write("timestamp,gpu,power_w\n2026-02-04 10:15:23.000,0,100\n2026-02-04 10:15:23.000,1,200\n");
  auto source = csv_source({.csv = file_});
  const auto found = source->find();
  ASSERT_EQ(found.size(), 2U);
  const auto first = source->open(found[0]);
  const auto second = source->open(found[1]);
  EXPECT_TRUE(first->read().empty()) << "what was there before is left";
  write(now() + ",0,101\n" + now() + ",1,20");
  EXPECT_DOUBLE_EQ(first->read().at(0).value, 101);
  EXPECT_TRUE(second->read().empty()) << "half a line";
  write("1\n" + now() + ",1,[N/A]\nbroken line\n");
  const auto readings = second->read();
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_DOUBLE_EQ(readings[0].value, 201);
  EXPECT_EQ(second->take_notes().size(), 1U);
}

TEST_F(Csv, FindsTheTimeBetweenLinesOfALogWithAPause) {
  write("timestamp,gpu,power_w\n");
  for (int second = 0; second < 20; ++second)
    write(fmt::format("2026-02-{:02} 10:15:{:02}.000,0,100\n", second < 10 ? 4 : 5, 20 + second));
  EXPECT_DOUBLE_EQ(csv_source({.csv = file_})->find().at(0).facts.tick_s, 1);
}

TEST_F(Csv, FindsTheTimeBetweenLinesWhoseTimesAreWholeSeconds) {
  write("timestamp,power_w\n");
  for (int line = 0; line < 39; ++line) write(fmt::format("2026-02-04 10:15:{:02},100\n", 20 + line / 10));
  EXPECT_NEAR(csv_source({.csv = file_})->find().at(0).facts.averaging_s, 0.1, 0.03);
}

TEST_F(Csv, WaitsForTheFirstLines) {
  write("");
  std::thread logger([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    write("timestamp, index, power.draw [W]\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    write(now() + ", 0, 101.5 W\n");
  });
  const auto found = csv_source({.csv = file_})->find();
  logger.join();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].gpu, "0");
}

TEST_F(Csv, GivesEachOfItsMetersToAThread) {
  write("time,pm1,pm2\n2026-02-04 10:15:23.000,1,2\n2026-02-04 10:15:23.002,1,2\n");  // read every 2 ms
  auto source = csv_source({.csv = file_});
  std::vector<std::unique_ptr<Meter>> meters;
  for (const FoundMeter& found : source->find()) meters.push_back(make_polled_meter(source->open(found)));
  ASSERT_EQ(meters.size(), 2U);
  constexpr size_t kLines = 200;
  for (size_t line = 0; line < kLines; ++line) {
    write(fmt::format("{},{},{}\n", now(), 100 + line, 500 + line));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (size_t m = 0; m < meters.size(); ++m) {
    std::vector<double> watts;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (watts.size() < kLines && std::chrono::steady_clock::now() < deadline)
      for (const MeterValue& reading : meters[m]->read()) watts.push_back(reading.value);
    ASSERT_EQ(watts.size(), kLines);
    for (size_t line = 0; line < kLines; ++line)
      EXPECT_DOUBLE_EQ(watts[line], static_cast<double>((m == 0 ? 100 : 500) + line));
  }
}

TEST_F(Csv, GoesOnWhenTheFileIsStartedAgain) {
  write("time,pm1,pm2\n");
  auto source = csv_source({.csv = file_, .csv_columns = {"pm2"}});
  const auto meter = source->open(source->find().at(0));
  write(now() + ",1,2\n");
  EXPECT_DOUBLE_EQ(meter->read().at(0).value, 2);
  fs::remove(file_);
  EXPECT_TRUE(meter->read().empty());
  EXPECT_EQ(meter->take_notes().size(), 1U);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  write("pm2,time\n3," + now() + "\n");
  EXPECT_DOUBLE_EQ(meter->read().at(0).value, 3);
}

TEST_F(Csv, SaysWhichColumnsThereAre) {
  EXPECT_THROW(csv_source({.csv = file_})->find(), Error);
  write("a,b\n");
  try {
    (void)csv_source({.csv = file_})->find();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is not a power log: it begins with \"a,b\""),
              std::string::npos);
  }
  EXPECT_THROW((void)csv_source({.csv = file_, .csv_columns = {"b"}})->find(), Error) << "no column of times";
  EXPECT_EQ(csv_source({.csv = file_, .csv_time = "a", .csv_columns = {"b"}})->find().size(), 1U);
}

TEST(Times, AreReadInManyForms) {
  const auto whole = moment_of("2026-02-04 10:15:23");
  ASSERT_TRUE(whole);
  EXPECT_EQ(moment_of("2026/02/04 10:15:23.25"), *whole + 250'000'000);
  EXPECT_EQ(moment_of("2026-02-04T10:15:23"), whole);
  const int64_t seconds = *whole / 1'000'000'000;
  EXPECT_EQ(moment_of(fmt::format("{}", seconds)), whole);
  EXPECT_EQ(moment_of(fmt::format("{}000", seconds)), whole);
  EXPECT_EQ(local_timestamp(*whole + 7'000'000), "2026-02-04 10:15:23.007");
  for (const char* wrong :
       {"", "yesterday", "2026-13-04 10:15:23", "2026-02-04 10:15", "2026-02-04 10:15:23.x"})
    EXPECT_FALSE(moment_of(wrong)) << wrong;
}

TEST(PowerFromCounter, IsTheMeanBetweenMovements) {
  PowerFromCounter power(0.95);
  std::vector<PowerPoint> points;
  constexpr int64_t step_ns = 10'000'000;
  for (int64_t i = 0; i < 400; ++i)  // 50 W, moved every 100 ms, looked at every 10 ms
    if (const auto point = power.add({i * step_ns, i * step_ns, static_cast<double>(i / 10 * 5)}))
      points.push_back(*point);
  ASSERT_GE(points.size(), 3U);
  for (const PowerPoint& point : points) EXPECT_NEAR(point.watts, 50, 1e-9);
  EXPECT_FALSE(power.add({5'000'000'000, 5'000'000'000, 0})) << "jumped back";
}

TEST(PowerAverager, IsTheMeanOfAnInterval) {
  PowerAverager thinned(0.04);
  EXPECT_FALSE(thinned.add({0, 10}));
  EXPECT_FALSE(thinned.add({20'000'000, 30}));
  const auto first = thinned.add({40'000'000, 50});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->unix_ns, 10'000'000);
  EXPECT_DOUBLE_EQ(first->watts, 20);
  EXPECT_FALSE(thinned.take_due(50'000'000));
  EXPECT_DOUBLE_EQ(thinned.take_rest()->watts, 50);
  EXPECT_FALSE(thinned.take_rest());
}

TEST(PowerAverager, EndsAnIntervalWhenTheWallClockIsSetBack) {
  PowerAverager thinned(0.04);
  constexpr int64_t hour_ns = 3600 * kNsPerSecond;
  EXPECT_FALSE(thinned.add({hour_ns, 10}));
  const auto before = thinned.add({20'000'000, 30});
  ASSERT_TRUE(before);
  EXPECT_EQ(before->unix_ns, hour_ns);
  EXPECT_FALSE(thinned.take_due(30'000'000));
  EXPECT_DOUBLE_EQ(thinned.take_due(60'000'000)->watts, 30);
}

TEST(SamplesRead, BeginAgainWhenTheWallClockIsSetBack) {
  constexpr int64_t second_ns = kNsPerSecond;
  SamplesRead samples(100 * second_ns);
  EXPECT_FALSE(samples.begin_again(101 * second_ns));
  EXPECT_EQ(samples.take({{100 * second_ns, 1}, {101 * second_ns, 2}}, 101 * second_ns).size(), 1U);
  EXPECT_EQ(samples.last_unix_ns(), 101 * second_ns);
  EXPECT_FALSE(samples.begin_again(101 * second_ns - 1)) << "a clock that is corrected slightly";
  EXPECT_TRUE(samples.begin_again(50 * second_ns));
  const auto fresh = samples.take({{51 * second_ns, 3}, {101 * second_ns, 2}}, 51 * second_ns);
  ASSERT_EQ(fresh.size(), 1U) << "the other one was read before the clock was set back";
  EXPECT_EQ(fresh.front().watts, 3);
}

TEST(LogLines, HaveTheirFormats) {
  const int64_t at = *moment_of("2026-02-04 10:15:23.250");
  const LogLines socket(LogLines::Format::wattsup, {"pm1", "pm2"});
  EXPECT_EQ(socket.header(), "time,id,pm1,pm2,sum\n");
  EXPECT_EQ(socket.readings(at, 0, {125.3, 118.7}), "2026-02-04 10:15:23.250,0,125.3,118.7,244.0\n");
  EXPECT_EQ(socket.readings(at, 1, {{}, 118.7}), "2026-02-04 10:15:23.250,1,,118.7,\n");
  const LogLines one(LogLines::Format::wattsup, {"pm1"});
  EXPECT_EQ(one.readings(at, 2, {100}), "2026-02-04 10:15:23.250,2,100.0,,100.0\n");
  const LogLines gpu(LogLines::Format::gpu, {"gpu 0"});
  EXPECT_EQ(gpu.header(), "timestamp,gpu,power_w\n");
  EXPECT_EQ(gpu.gpu(at, "0", 71.5), "2026-02-04 10:15:23.250,0,71.500\n");
  const LogLines cpu(LogLines::Format::columns, {"package-0", "package-0 dram"});
  EXPECT_EQ(cpu.header(), "timestamp,package-0_w,package-0 dram_w\n");
  EXPECT_EQ(cpu.moment(at, {10, {}}), "2026-02-04 10:15:23.250,10.000,\n");
}

}  // namespace
}  // namespace kjoule
