#include "power/meters/meter.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kjoule {
namespace {

/// A meter that returns the values that the test gives to it.
class Scripted final : public Meter {
 public:
  explicit Scripted(Quantity quantity, Scope scope = Scope::gpu)
      : Meter({.source = "scripted",
               .name = "m",
               .scope = scope,
               .quantity = quantity,
               .tick_s = 0.1,
               .averaging_s = 0.1,
               .duty = {},
               .value_step = 0.001}) {}
  /// Returns the result of read() for a value one sensor interval after the previous one.
  std::vector<MeterValue> give(double value) {
    at_ns_ += 100'000'000;
    return give_at(at_ns_, value);
  }
  std::vector<MeterValue> give_at(int64_t ns, double value) {
    next_ = {{ns, ns, value}};
    return read();
  }

 private:
  std::vector<MeterValue> fetch() override { return next_; }
  std::vector<MeterValue> next_;
  int64_t at_ns_ = 0;
};

TEST(Meter, CounterThatJumpsBackIsTold) {
  Scripted meter(Quantity::energy_j);
  meter.give(100);
  meter.give(110);
  EXPECT_TRUE(meter.take_notes().empty());
  EXPECT_EQ(meter.give(5).size(), 1U);
  const auto notes = meter.take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("jumped back from 110.000 J to 5.000 J"), std::string::npos);
}

TEST(Meter, CounterThatStandsStillIsToldOnce) {
  Scripted meter(Quantity::energy_j);
  for (int i = 0; i < 10; ++i) meter.give(100);
  EXPECT_TRUE(meter.take_notes().empty()) << "nine ticks";
  for (int i = 0; i < 30; ++i) meter.give(100);
  EXPECT_EQ(meter.take_notes().size(), 1U);
  meter.give(101);
  for (int i = 0; i < 30; ++i) meter.give(101);
  EXPECT_EQ(meter.take_notes().size(), 1U) << "a second time";
}

TEST(Meter, PowerThatStandsStillIsToldUnderLoad) {
  Scripted meter(Quantity::power_w);
  for (int i = 0; i < 30; ++i) meter.give(70);
  EXPECT_TRUE(meter.take_notes().empty()) << "idle, it may";
  meter.expect_load(true);
  meter.give(70);
  EXPECT_EQ(meter.take_notes().size(), 1U);
}

TEST(Meter, WhatIsNoPowerIsLeftOut) {
  Scripted meter(Quantity::power_w);
  EXPECT_TRUE(meter.give(0).empty()) << "no GPU draws nothing";
  EXPECT_TRUE(meter.give(-1).empty());
  EXPECT_TRUE(meter.give(std::nan("")).empty());
  EXPECT_EQ(meter.take_notes().size(), 2U);
  Scripted socket(Quantity::power_w, Scope::system);
  EXPECT_EQ(socket.give(0).size(), 1U) << "nothing plugged in";
}

TEST(Meter, TimesNeverGoBack) {
  Scripted meter(Quantity::power_w);
  EXPECT_EQ(meter.give_at(1000, 1).size(), 1U);
  EXPECT_TRUE(meter.give_at(1000, 2).empty());
  EXPECT_TRUE(meter.give_at(900, 3).empty());
  EXPECT_EQ(meter.give_at(1001, 4).size(), 1U);
}

TEST(TooShort, NamesTheLeast) {
  const MeterFacts facts{.name = "pm1", .averaging_s = 1};
  EXPECT_EQ(too_short_message(facts, 2).value(),
            "2 s is too short for pm1, which averages over 1 s: choose 3 s or more");
  EXPECT_FALSE(too_short_message(facts, 3));
}

}  // namespace
}  // namespace kjoule
