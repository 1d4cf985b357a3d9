#include "power/sensor_rate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

SensorRate rate_of(const std::string& id, std::optional<Interval> hz) {
  return {"NVIDIA H200", id, "measured by a test", hz};
}

TEST(SensorRates, OfABoardReplaceItsEarlierOne) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "kjoule" / "sensor_rates.json";
  EXPECT_TRUE(read_sensor_rates(path).empty());
  store_sensor_rate(path, rate_of("GPU-1", Interval{1300, 1}));
  store_sensor_rate(path, rate_of("GPU-2", std::nullopt));
  store_sensor_rate(path, rate_of("GPU-1", Interval{1227, 0.5}));
  const auto all = read_sensor_rates(path);
  EXPECT_EQ(all.size(), 2);
  EXPECT_DOUBLE_EQ(find_sensor_rate(all, "NVIDIA H200", "GPU-1")->hz->value, 1227);
  EXPECT_FALSE(find_sensor_rate(all, "NVIDIA H200", "GPU-2")->hz) << "none was found";
  EXPECT_FALSE(find_sensor_rate(all, "NVIDIA H200", "GPU-3")) << "another board of this kind";
  EXPECT_FALSE(find_sensor_rate(all, "NVIDIA L4", "GPU-1")) << "another board";
  SensorRate failed = rate_of("GPU-2", std::nullopt);
  failed.failure = "the meter stood still";
  store_sensor_rate(path, failed);
  EXPECT_FALSE(find_sensor_rate(read_sensor_rates(path), "NVIDIA H200", "GPU-2")) << "not known";
  EXPECT_EQ(read_sensor_rates(path).back().failure, "the meter stood still");
}

TEST(SensorRates, AreAllKeptIfProbesEndAtTheSameTime) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "sensor_rates.json";
  const auto store = [&](const char* host) {
    for (int i = 0; i < 20; ++i)
      store_sensor_rate(path, rate_of(host + std::to_string(i), Interval{1200, 1}));
  };
  std::thread other([&] { store("a"); });
  store("b");
  other.join();
  EXPECT_EQ(read_sensor_rates(path).size(), 40U);
}

TEST(SensorRates, AreNotReadFromAWrongFileWhichIsKept) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "sensor_rates.json";
  const std::string begin = R"({"sensor_rates": [{"device": "D", "id": "1", "from": "t", "hz": )";
  for (const std::string& text :
       {std::string("{}"), std::string("[]"), std::string("{"), std::string(R"({"sensor_rates": [{}]})"),
        begin + R"("fast"}]})", begin + R"({"value": 50, "half_width": 1}}]})",
        begin + R"({"value": 1200, "half_width": -1}}]})", begin + R"({"value": 1200}}]})",
        begin + R"({"value": 1200, "half_width": null}}]})",
        std::string(R"({"sensor_rates": [{"device": "D", "id": "1", "from": ""}]})")}) {
    write_atomic(path, text);
    EXPECT_THROW(store_sensor_rate(path, rate_of("GPU-1", std::nullopt)), Error) << text;
    EXPECT_EQ(read_text(path), text);
  }
}

}  // namespace
}  // namespace kjoule
