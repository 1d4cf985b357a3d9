#include "power/meters/meter_sum.hpp"

#include <gtest/gtest.h>

#include "power/meters/logged_meter.hpp"

namespace kjoule {
namespace {

/// A meter that returns the readings that the test has given to it.
class GivenMeter final : public Meter {
 public:
  explicit GivenMeter(const std::string& name)
      : Meter({.source = "wattsup", .name = name, .scope = Scope::system, .tick_s = 1, .averaging_s = 1}) {}
  void give(double second, double watts) {
    const auto ns = static_cast<int64_t>(second * 1e9);
    given_.push_back({ns, ns, watts});
  }

 private:
  std::vector<MeterValue> fetch() override { return std::exchange(given_, {}); }
  std::vector<MeterValue> given_;
};

class SumOfTwo : public testing::Test {
 protected:
  SumOfTwo() {
    std::vector<std::unique_ptr<Meter>> parts;
    for (GivenMeter** part : {&first_, &second_}) {
      auto meter = std::make_unique<GivenMeter>(parts.empty() ? "pm1" : "pm2");
      *part = meter.get();
      parts.push_back(std::move(meter));
    }
    sum_ = std::make_unique<MeterSum>(std::move(parts));
  }
  GivenMeter *first_ = nullptr, *second_ = nullptr;
  std::unique_ptr<Meter> sum_;
};

TEST_F(SumOfTwo, AddsReadingsOfTheSameTime) {
  first_->give(10.0, 60);
  EXPECT_TRUE(sum_->read().empty()) << "the other meter has not read yet";
  second_->give(10.4, 41);
  first_->give(11.0, 61);
  const auto readings = sum_->read();
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].value, 101);
  EXPECT_EQ(readings[0].steady_ns, 10'200'000'000);
  second_->give(11.4, 42);
  ASSERT_EQ(sum_->read().size(), 1u);
  EXPECT_EQ(sum_->facts().name, "pm1+pm2");
}

TEST_F(SumOfTwo, HasNoReadingWhileOneMeterIsSilent) {
  for (int s = 0; s < 5; ++s) first_->give(10 + s, 60);
  second_->give(10.1, 40);
  second_->give(14.1, 44);
  const auto readings = sum_->read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].value, 100);
  EXPECT_EQ(readings[1].value, 104);
  EXPECT_EQ(readings[1].steady_ns, 14'050'000'000) << "not the sum of readings of different times";
}

TEST_F(SumOfTwo, LogsEveryMeter) {
  std::string text;
  const auto logged =
      make_logged_meter(std::move(sum_), [&](const std::string& line, int64_t) { text += line; });
  first_->give(10.0, 60);
  second_->give(10.0, 40.5);
  EXPECT_EQ(logged->read().size(), 1u);
  EXPECT_TRUE(text.starts_with("time,id,pm1,pm2,sum\n")) << text;
  EXPECT_TRUE(text.ends_with(".000,0,60.0,40.5,100.5\n")) << text;
}

}  // namespace
}  // namespace kjoule
