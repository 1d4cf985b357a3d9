#include "power/logs/logger.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "power/meters/rapl.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

class LogOfRapl : public testing::Test {
 protected:
  LogOfRapl() {
    for (const char* domain : {"intel-rapl:0", "intel-rapl:0:0"}) fs::create_directories(folder_ / domain);
    write_atomic(folder_ / "intel-rapl:0/name", "package-0");
    write_atomic(folder_ / "intel-rapl:0:0/name", "dram");
    for (const char* domain : {"intel-rapl:0", "intel-rapl:0:0"})
      write_atomic(folder_ / domain / "max_energy_range_uj", "262143328850");
    consume(0);
  }
  /// Increases the energy counter of the package by `uj` microjoules, and that of its memory by a tenth.
  void consume(int64_t uj) {
    energy_uj_ += uj;
    write_atomic(folder_ / "intel-rapl:0/energy_uj", std::to_string(1'000'000 + energy_uj_));
    write_atomic(folder_ / "intel-rapl:0:0/energy_uj", std::to_string(1'000'000 + energy_uj_ / 10));
  }
  PowerLogger logger() {
    auto source = rapl_source(folder_.path());
    const auto found = source->find();
    std::vector<std::unique_ptr<Meter>> meters;
    for (const FoundMeter& one : found) meters.push_back(source->open(one));
    return {std::move(meters), log_format(found), 0.02, [this](const std::string& line) { text_ += line; }};
  }
  TemporaryFolder folder_;
  int64_t energy_uj_ = 0;
  std::string text_;
};

TEST_F(LogOfRapl, HasAColumnForEachCounter) {
  PowerLogger logging = logger();
  EXPECT_EQ(text_, "timestamp,package-0_w,package-0 dram_w\n");
  for (int i = 0; i < 20; ++i) {
    consume(1'000'000);  // 1 J, whatever the time that passes
    logging.step(instant_now());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  logging.finish();
  EXPECT_GE(logging.lines(), 4U);
  ASSERT_TRUE(logging.newest_w());
  EXPECT_GT(*logging.newest_w(), 0);
  EXPECT_LT(*logging.newest_w(), 115) << "1.1 J in 10 ms or more";
  EXPECT_EQ(text_.find(",0.000"), std::string::npos);
}

TEST_F(LogOfRapl, KeepsWhatWasReadWhenACounterGoes) {
  PowerLogger logging = logger();
  for (int i = 0; i < 10; ++i) {
    consume(1'000'000);
    logging.step(instant_now());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fs::remove_all(folder_ / "intel-rapl:0");
  EXPECT_THROW(logging.step(instant_now()), Error);
  logging.finish();
  EXPECT_GE(logging.lines(), 2U);
  EXPECT_EQ(text_.back(), '\n');
}

}  // namespace
}  // namespace kjoule
