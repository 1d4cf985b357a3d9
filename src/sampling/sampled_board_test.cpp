#include "sampling/sampled_board.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kjoule {
namespace {

class SampledBoard : public testing::Test {
 protected:
  void SetUp() override {
    setenv("KJOULE_NVML", KJOULE_FAKE_NVML, 1);
    setenv("FAKE_NVML_UUID", kUuid, 1);
  }
  void TearDown() override {
    for (const char* name : {"KJOULE_NVML", "FAKE_NVML_UUID", "FAKE_NVML_LIMIT", "FAKE_NVML_LACKS"})
      unsetenv(name);
  }
  static nlohmann::ordered_json described(const std::string& uuid) {
    return describe_sampled_board({.name = "Fake GPU", .torch = "2.11.0", .time = "time", .uuid = uuid});
  }
  static constexpr const char* kUuid = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";
};

TEST_F(SampledBoard, HasItsLimitsAndClocks) {
  setenv("FAKE_NVML_LIMIT", "650", 1);
  const auto board = described(kUuid);
  EXPECT_EQ(board.at("uuid"), kUuid);
  EXPECT_NE(board.at("driver"), "");
  EXPECT_EQ(board.at("power_limit_w"), 650);
  EXPECT_EQ(board.at("default_power_limit_w"), 700);
  EXPECT_EQ(board.at("ecc"), true);
  EXPECT_EQ(board.at("highest_sm_clock_mhz"), 1980);
  EXPECT_EQ(board.at("highest_memory_clock_mhz"), 3201);
}

TEST_F(SampledBoard, LacksWhatNvmlDoesNotReport) {
  setenv("FAKE_NVML_LACKS", "limits,ecc", 1);
  const auto board = described(kUuid);
  EXPECT_FALSE(board.contains("power_limit_w"));
  EXPECT_FALSE(board.contains("ecc"));
  EXPECT_EQ(board.at("uuid"), kUuid);
}

TEST_F(SampledBoard, IsUnknownWithTheReason) {
  EXPECT_TRUE(described("").is_null()) << "the CPU has no board";
  EXPECT_EQ(described("GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f").get<std::string>().find("unknown: "), 0);
  setenv("KJOULE_NVML", "/nonexistent/libnvml.so", 1);
  EXPECT_EQ(described(kUuid).get<std::string>().find("unknown: NVIDIA's library for meters"), 0);
}

}  // namespace
}  // namespace kjoule
