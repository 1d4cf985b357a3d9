#include "power/meters/wattsup.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "power/meters/fake_wattsup.hpp"
#include "power/meters/wattsup_records.hpp"
#include "power/shared_rows.hpp"

namespace kjoule {
namespace {

using Watts = std::vector<double>;

Watts watts_of(const std::vector<WattsupRecord>& records) {
  Watts all;
  for (const WattsupRecord& record : records) all.push_back(record.watts);
  return all;
}

TEST(WattsupRecords, UnitsAreTenthsAndThousandths) {
  WattsupRecords records;
  const auto all = records.take("#d,-,18,1253,1201,1050,1,2,3,4,5,6,7,8,9,10,99,0,0,600,1261;\r\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].watts, 125.3);
  EXPECT_DOUBLE_EQ(all[0].volts.value(), 120.1);
  EXPECT_DOUBLE_EQ(all[0].amperes.value(), 1.05);
  EXPECT_EQ(records.unreadable(), 0U);
}

TEST(WattsupRecords, ArriveInAnyPieces) {
  const std::string text = wattsup_record(100) + wattsup_record(200.5);
  WattsupRecords records;
  Watts all;
  for (const char c : text)
    for (const double watts : watts_of(records.take(std::string(1, c)))) all.push_back(watts);
  EXPECT_EQ(all, (Watts{100, 200.5}));
}

TEST(WattsupRecords, TornAndGarbledAreLeftOut) {
  WattsupRecords records;
  const std::string good = wattsup_record(100);
  EXPECT_EQ(watts_of(records.take("3,1201;" + good)), Watts{100}) << "begun amid a record";
  EXPECT_EQ(watts_of(records.take(good.substr(0, 9) + good)), Watts{100}) << "cut short, then whole";
  EXPECT_TRUE(records.take("#d,-,18,1253,1201,1050;").empty()) << "too few values";
  EXPECT_TRUE(records.take("#d,-,18,12x3,1200,1044,0,0,0,0,1,1200,0,0,0,0,100,0,0,600,1;").empty());
  EXPECT_TRUE(records.take("#d,-,18,_,1200,1044,0,0,0,0,1,1200,0,0,0,0,100,0,0,600,1;").empty());
  EXPECT_TRUE(records.take("#d,-,18,9999,1200,1044,0,0,0,0,1,1200,0,0,0,0,100,0,0,600,1;").empty())
      << "more watts than volts and amperes";
  EXPECT_EQ(records.unreadable(), 6U);
  EXPECT_TRUE(records.take(std::string(5000, 'x')).empty());
  EXPECT_TRUE(records.take("\xff\x00\xfe;#v,-,2,a,b;").empty()) << "another kind of answer";
  EXPECT_EQ(watts_of(records.take(good)), Watts{100});
}

/// Reads until there are `count` readings, but at most 5 s.
std::vector<MeterValue> readings(Meter& meter, size_t count) {
  std::vector<MeterValue> all;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (all.size() < count && std::chrono::steady_clock::now() < deadline) {
    for (const MeterValue& reading : meter.read()) all.push_back(reading);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return all;
}

class Wattsup : public testing::Test {
 protected:
  std::unique_ptr<Meter> open() const {
    auto source = wattsup_source({.devices = folder_.path()});
    return source->open(source->find().at(0));
  }
  TemporaryFolder folder_;
  FakeWattsup fake_{folder_ / "ttyUSB0"};
};

TEST_F(Wattsup, IsAskedToLogEachSecond) {
  const auto meter = open();
  EXPECT_EQ(fake_.received(), "#L,W,3,E,,1;");
  EXPECT_EQ(meter->facts().name, "pm1");
  EXPECT_TRUE(meter->read().empty()) << "no record is no reading";
}

TEST_F(Wattsup, EveryGoodRecordIsReadOnce) {
  const auto meter = open();
  const std::string once_more = wattsup_record(102);
  fake_.measure(101);
  fake_.send(once_more);
  fake_.send(once_more);
  fake_.send("#d,-,18,1,2,3;garbage");
  fake_.measure(103);
  Watts all;
  for (const MeterValue& reading : readings(*meter, 3)) all.push_back(reading.value);
  EXPECT_EQ(all, (Watts{101, 102, 103}));
  EXPECT_EQ(meter->take_notes().size(), 1U);
}

TEST_F(Wattsup, RecordsThatArriveTogetherAreOfTheSecondsBefore) {
  const auto meter = open();
  for (const double watts : {101.0, 102.0, 103.0}) fake_.measure(watts);
  const auto all = readings(*meter, 3);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].steady_ns - all[0].steady_ns, 1'000'000'000);
  EXPECT_EQ(all[2].unix_ns - all[1].unix_ns, 1'000'000'000);
}

TEST_F(Wattsup, IsWaitedForWhenUnplugged) {
  const auto meter = open();
  fake_.measure(100);
  EXPECT_EQ(readings(*meter, 1).size(), 1U);
  fake_.send("#d,-,18,10");
  fake_.unplug();
  EXPECT_TRUE(meter->read().empty());
  EXPECT_TRUE(meter->read().empty());
  ASSERT_FALSE(meter->take_notes().empty());
  fake_.plug_in();
  EXPECT_TRUE(readings(*meter, 0).empty());
  for (int i = 0; i < 1000 && fake_.received().empty(); ++i) {
    EXPECT_TRUE(meter->read().empty());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  fake_.measure(150);
  const auto after = readings(*meter, 1);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].value, 150);
  EXPECT_EQ(meter->take_notes().back(), "pm1: " + (folder_ / "ttyUSB0").string() + " is back");
}

TEST_F(Wattsup, OnlySerialPortsAreOpened) {
  auto source = wattsup_source({.ports = {(folder_ / "none").string(), "/dev/null"}});
  const auto found = source->find();
  EXPECT_EQ(found.at(0).lack, (folder_ / "none").string() + ": no such port");
  EXPECT_THROW(source->open(found.at(0)), Error);
  EXPECT_THROW(source->open(found.at(1)), Error);
  EXPECT_THROW(wattsup_source({.devices = folder_ / "no"})->find(), Error);
  EXPECT_THROW(wattsup_source({.ports = {"a", "b", "c", "d", "e"}})->find(), Error);
}

constexpr int64_t kSecond_ns = 1'000'000'000;

TEST(SharedRows, PutReadingsOfTwoMetersTogether) {
  SharedRows rows(2);
  rows.add(0, 100 * kSecond_ns + 900'000'000, 1);
  rows.add(1, 100 * kSecond_ns + 100'000'000, 2);
  rows.add(1, 101 * kSecond_ns + 100'000'000, 3);
  EXPECT_TRUE(rows.take_complete(101 * kSecond_ns + 200'000'000).empty());
  const auto taken = rows.take_complete(102 * kSecond_ns + 600'000'000);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].unix_ns, 100 * kSecond_ns + 100'000'000);
  EXPECT_EQ(taken[0].watts, (std::vector<std::optional<double>>{{}, 2}));
  EXPECT_EQ(taken[1].unix_ns, 101 * kSecond_ns) << "the mean time of its readings";
  EXPECT_EQ(taken[1].watts, (std::vector<std::optional<double>>{1, 3}));
  EXPECT_TRUE(rows.take_rest().empty());
}

TEST(SharedRows, HaveTheTimesOfTheirReadings) {
  for (const double period_s : {0.99, 1.0, 1.01, 0.1}) {
    SharedRows one(1), two(2);
    for (int i = 0; i < 300; ++i) {
      const auto time_ns = 1000 * kSecond_ns + static_cast<int64_t>(i * period_s * 1e9);
      one.add(0, time_ns, i);
      two.add(0, time_ns, i);
      if (i % 7 != 0) two.add(1, time_ns + 40'000'000, i);
    }
    const auto of_one = one.take_rest(), of_two = two.take_rest();
    ASSERT_EQ(of_one.size(), 300U);
    ASSERT_EQ(of_two.size(), 300U) << period_s;
    for (size_t i = 0; i < 300; ++i) {
      const auto time_ns = 1000 * kSecond_ns + static_cast<int64_t>(static_cast<double>(i) * period_s * 1e9);
      EXPECT_EQ(of_one[i].unix_ns, time_ns);
      EXPECT_EQ(of_two[i].watts[0], static_cast<double>(i));
      EXPECT_EQ(of_two[i].unix_ns, time_ns + (i % 7 != 0 ? 20'000'000 : 0));
    }
  }
}

TEST(SharedRows, LoseNothing) {
  for (const double period_s : {0.99, 1.0, 1.01, 0.1}) {
    SharedRows rows(1);
    size_t taken = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto at = 1000 * kSecond_ns + static_cast<int64_t>(i * period_s * 1e9);
      rows.add(0, at, i);
      taken += rows.take_complete(at).size();
    }
    taken += rows.take_rest().size();
    EXPECT_EQ(taken, 1000U) << period_s;
  }
}

TEST(SharedRows, KeepTheReadingsOfAMeterInOrder) {
  for (const double period_s : {0.99, 1.0, 1.01, 0.3, 0.0}) {
    SharedRows rows(2);
    for (int i = 0; i < 100; ++i) {
      const auto at = 1000 * kSecond_ns + static_cast<int64_t>(i * period_s * 1e9);
      rows.add(0, at, i);
      if (i % 3 == 0) rows.add(1, at, i);
    }
    double last = -1;
    for (const SharedRows::Row& row : rows.take_rest()) {
      if (!row.watts[0]) continue;
      EXPECT_GT(*row.watts[0], last) << period_s;
      last = *row.watts[0];
    }
    EXPECT_EQ(last, 99);
  }
}

}  // namespace
}  // namespace kjoule
