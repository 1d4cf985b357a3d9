#include "run/program_power.hpp"

#include <gtest/gtest.h>

#include <future>

#include "base/error.hpp"
#include "power/instant.hpp"

namespace kjoule {
namespace {

constexpr int64_t kBegin_ns = 1'000 * kNsPerSecond;

int64_t at(double seconds) {
  return kBegin_ns + static_cast<int64_t>(seconds * kNsPerSecond);
}

/// A counter with readings every 0.5 s over 10 s: 100 W for 4 s, then 200 W. One call returns all readings.
class SteppedCounter final : public Meter {
 public:
  explicit SteppedCounter(std::promise<void>& read)
      : Meter({.source = "stepped", .quantity = Quantity::energy_j, .tick_s = 0.1}), read_(&read) {}

 private:
  std::vector<MeterValue> fetch() override {
    std::vector<MeterValue> values;
    if (read_ == nullptr) return values;
    for (double s = 0; s <= 10; s += 0.5)
      values.push_back({at(s), at(s), 1 + 100 * s + 100 * std::max(0.0, s - 4), at(s)});
    std::exchange(read_, nullptr)->set_value();
    return values;
  }
  std::promise<void>* read_;
};

class FailingCounter final : public Meter {
 public:
  FailingCounter() : Meter({.source = "failing", .quantity = Quantity::energy_j, .tick_s = 0.1}) {}

 private:
  std::vector<MeterValue> fetch() override { throw Error("the GPU is lost"); }
};

TEST(ProgramPower, IsTheMeanOfTheAskedTime) {
  std::promise<void> read;
  std::map<std::string, std::unique_ptr<Meter>> counters;
  counters["GPU-a"] = std::make_unique<SteppedCounter>(read);
  counters["GPU-b"] = std::make_unique<FailingCounter>();
  ProgramPower power(std::move(counters));
  read.get_future().wait();
  power.stop();
  const auto later = power.mean_power("GPU-a", at(4.9), at(9.9));
  ASSERT_TRUE(later);
  EXPECT_DOUBLE_EQ(later->seconds, 4.5) << "between the readings in this time";
  EXPECT_NEAR(later->watts.value, 200, 1e-9);
  EXPECT_NEAR(later->watts.half_width, 200 * 0.1 / 4.5, 1e-9) << "one tick";
  EXPECT_NEAR(power.mean_power("GPU-a", at(0), at(10))->watts.value, 160, 1e-9);
  EXPECT_FALSE(power.mean_power("GPU-a", at(0), at(0.9))) << "too short";
  EXPECT_FALSE(power.mean_power("GPU-a", at(20), at(30))) << "no readings";
  EXPECT_FALSE(power.mean_power("GPU-b", at(0), at(10))) << "its counter failed";
  EXPECT_FALSE(power.mean_power("GPU-c", at(0), at(10))) << "there is none";
}

}  // namespace
}  // namespace kjoule
