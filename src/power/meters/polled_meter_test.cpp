#include "power/meters/polled_meter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "power/instant.hpp"

namespace kjoule {
namespace {

/// A counter that increases by 1 J with each reading and fails after `readings` readings.
class ShortLived final : public Meter {
 public:
  explicit ShortLived(int readings)
      : Meter({.source = "test", .name = "short", .quantity = Quantity::energy_j, .tick_s = 0.1}),
        left_(readings) {}
  std::optional<DeviceState> state() override { return DeviceState{.temperature_c = 40}; }

 private:
  std::vector<MeterValue> fetch() override {
    if (left_-- == 0) throw Error("it was unplugged", "plug it in");
    const Instant now = instant_now();
    if (left_ == 5) note_once("half of it is over");
    return {{now.steady_ns, now.unix_ns, static_cast<double>(++read_)}};
  }
  int left_;
  int read_ = 0;
};

TEST(PolledMeter, KeepsWhatItReadWhileNobodyAsked) {
  const auto meter = make_polled_meter(std::make_unique<ShortLived>(1'000'000));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const std::vector<MeterValue> readings = meter->read();
  ASSERT_GT(readings.size(), 10u);
  for (size_t i = 0; i < readings.size(); ++i) EXPECT_EQ(readings[i].value, static_cast<double>(i + 1));
  EXPECT_EQ(meter->state().value().temperature_c, 40);
}

TEST(PolledMeter, IsClosedAtOnceDuringALongPause) {
  constexpr double kLongPause_s = 60;
  const auto begin = std::chrono::steady_clock::now();
  {
    const auto meter = make_polled_meter(std::make_unique<ShortLived>(1'000'000), kLongPause_s);
    while (meter->read().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::duration<double>(kLongPause_s / 2));
}

TEST(PolledMeter, PassesOnWhyItEnded) {
  const auto meter = make_polled_meter(std::make_unique<ShortLived>(10));
  std::vector<std::string> notes;
  try {
    for (int i = 0; i < 1000; ++i) {
      meter->read();
      for (const std::string& note : meter->take_notes()) notes.push_back(note);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << "it should have ended";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "it was unplugged");
  }
  EXPECT_LE(notes.size(), 1u);
  for (const std::string& note : notes) EXPECT_EQ(note, "short: half of it is over");
}

}  // namespace
}  // namespace kjoule
