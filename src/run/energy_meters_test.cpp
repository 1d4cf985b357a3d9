#include "run/energy_meters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "base/error.hpp"
#include "base/process/temporary_folder.hpp"
#include "power/instant.hpp"
#include "power/logs/power_log_reader.hpp"

namespace kjoule {
namespace {

constexpr double kCounterStep_s = 0.1;

/// The energy counter of a device that consumes 100 W until `end_ns`, and then 0 W. It changes every 0.1 s.
class StoppingCounter final : public Meter {
 public:
  explicit StoppingCounter(const std::atomic<int64_t>& end_ns)
      : Meter(
            {.source = "test", .name = "counter", .quantity = Quantity::energy_j, .tick_s = kCounterStep_s}),
        end_ns_(&end_ns) {}

 private:
  std::vector<MeterValue> fetch() override {
    const Instant now = instant_now();
    const int64_t ticks =
        std::min(now.steady_ns, end_ns_->load()) / static_cast<int64_t>(kCounterStep_s * kNsPerSecond);
    return {{now.steady_ns, now.unix_ns, 100 * kCounterStep_s * static_cast<double>(ticks)}};
  }
  const std::atomic<int64_t>* end_ns_;
};

class EnergyMetersTest : public testing::Test {
 protected:
  EnergyMetersTest() : log_(folder_.path() / "power.csv") {
    meters_.meters.push_back(std::make_unique<StoppingCounter>(end_ns_));
    meters_.block_s = 1;
    meters_.is_named = true;
  }

  const TemporaryFolder folder_;
  std::filesystem::path log_;
  std::atomic<int64_t> end_ns_ = INT64_MAX;  ///< CLOCK_MONOTONIC when the counter stops
  EnergyMeters meters_;
};

TEST_F(EnergyMetersTest, TheLogOfACounterCoversWhatEndedBefore) {
  meters_.begin_log(log_);
  const int64_t end_ns = instant_now().unix_ns;
  meters_.read_past_now();
  meters_.close();
  constexpr int64_t kStampStep_ns = 1'000'000;  // timestamps are truncated
  EXPECT_GE(read_power_log(log_).series.front().samples.back().unix_ns, end_ns - kStampStep_ns);
}

TEST_F(EnergyMetersTest, ACounterThatStopsIsNotAwaitedForEver) {
  meters_.begin_log(log_);
  end_ns_ = instant_now().steady_ns;
  meters_.patience_s = 0.3;
  const auto begin = std::chrono::steady_clock::now();
  meters_.read_past_now();
  const auto passed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(passed, std::chrono::milliseconds(250));
  EXPECT_LT(passed, std::chrono::seconds(5));
}

TEST_F(EnergyMetersTest, ACounterThatNeverChangesHasNoLog) {
  end_ns_ = 0;
  meters_.patience_s = 0.3;
  EXPECT_THROW(meters_.begin_log(log_), Error);
}

}  // namespace
}  // namespace kjoule
