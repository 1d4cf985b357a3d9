#include "power/meters/gpu_names.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "power/meters/power_source.hpp"

namespace kjoule {
namespace {

const std::vector<GpuNames> kTwo{{"0", "GPU-0a1b", "00000000:0B:00.0", "NVIDIA H200"},
                                 {"1", "GPU-2c3d", "00000000:1B:00.0", "NVIDIA A100"}};

TEST(GpuNames, AreWrittenInSeveralWays) {
  for (const char* text : {"1", "GPU-2c3d", "gpu-2C3D", "2c3d", "00000000:1B:00.0", "0000:1b:00.0", "1B:00.0",
                           "NVIDIA A100", "nvidia a100"}) {
    EXPECT_TRUE(names_gpu(text, kTwo[1], kTwo)) << text;
    EXPECT_FALSE(names_gpu(text, kTwo[0], kTwo)) << text;
  }
  for (const char* text : {"", "2", "GPU-", "GPU-2c3", "00000001:1B:00.0", "0B:00.1", "NVIDIA"})
    for (const GpuNames& gpu : kTwo) EXPECT_FALSE(names_gpu(text, gpu, kTwo)) << text;
}

TEST(GpuNames, ABoardThatThereIsTwiceIsNoName) {
  std::vector<GpuNames> same = kTwo;
  same[1].board = same[0].board;
  EXPECT_FALSE(names_gpu("NVIDIA H200", same[0], same));
  EXPECT_TRUE(names_gpu("1", same[1], same));
}

TEST(GpuNames, OfAnUnknownGpuAreItsUuid) {
  const GpuNames unknown = gpu_with_uuid("GPU-9", kTwo);
  EXPECT_TRUE(names_gpu("gpu-9", unknown, kTwo));
  EXPECT_FALSE(names_gpu("0", unknown, kTwo));
  EXPECT_EQ(gpu_with_uuid("GPU-2c3d", kTwo).index, "1");
}

TEST(GpuNames, ComeFromNvml) {
  setenv("KJOULE_NVML", KJOULE_FAKE_NVML, 1);
  setenv("FAKE_NVML_GPUS", "2", 1);
  const std::vector<GpuNames> gpus = list_gpu_names();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].bus_id, "00000000:0C:00.0");
  FoundMeter logged;
  logged.id = "gpu 00000000:0C:00.0";
  logged.gpu = "00000000:0C:00.0";
  for (const char* asked : {"1", "GPU-fake-1", "0c:00.0"})
    EXPECT_EQ(meters_of_gpus({logged}, {asked}).size(), 1U) << asked;
  EXPECT_THROW(meters_of_gpus({logged}, {"0"}), Error);
  unsetenv("FAKE_NVML_GPUS");
  setenv("KJOULE_NVML", "libkjoule-none.so", 1);
  EXPECT_TRUE(list_gpu_names().empty());
  unsetenv("KJOULE_NVML");
}

}  // namespace
}  // namespace kjoule
