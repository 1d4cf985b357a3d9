#include "cuda/calls/used_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace kjoule::cuda {
namespace {

constexpr uint64_t kLow = 0x1e3a000000, kHigh = 0x7f0000000000;
constexpr size_t kBytes = size_t{105} << 30;

Allocations memory_at(uint64_t address) {
  Allocations memory;
  memory.add({address, kBytes, MemoryKind::mapped});
  return memory;
}

/// Returns a launch of a kernel with one argument, which consists of these words.
Call launch(const std::vector<uint64_t>& words, Collective collective = Collective::none) {
  auto function = std::make_shared<Function>();
  function->collective = collective;
  function->offsets = {0};
  function->sizes = {words.size() * sizeof(uint64_t)};
  KernelCall kernel;
  kernel.function = function;
  kernel.arguments.resize(function->sizes[0]);
  std::memcpy(kernel.arguments.data(), words.data(), function->sizes[0]);
  return {kernel};
}

TEST(UsedMemory, PointersOfKernels) {
  for (const uint64_t address : {kLow, kHigh}) {
    EXPECT_TRUE(uses_memory(launch({address + 4096}), memory_at(address)));
    EXPECT_FALSE(uses_memory(launch({address - 1}), memory_at(address)));
    EXPECT_FALSE(uses_memory(launch({address + 4096}, Collective::nccl), memory_at(address)));
  }
}

TEST(UsedMemory, TwoNumbersInAStructureAreNoPointer) {
  const uint64_t rows_and_columns = uint64_t{32} << 32 | 16384;  // would be an address from kLow on
  EXPECT_FALSE(uses_memory(launch({0, rows_and_columns}), memory_at(kLow)));
  EXPECT_TRUE(uses_memory(launch({0, kHigh + 512}), memory_at(kHigh)));
}

TEST(UsedMemory, CopiesAndMemsets) {
  const Allocations memory = memory_at(kLow);
  MemsetCall set;
  set.to = kLow + 16;
  EXPECT_TRUE(uses_memory({set}, memory));
  CopyCall copy;
  copy.shape.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.shape.srcDevice = kHigh;
  copy.shape.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.shape.dstDevice = kLow;
  EXPECT_TRUE(uses_memory({copy}, memory));
  copy.shape.dstMemoryType = CU_MEMORYTYPE_HOST;
  EXPECT_FALSE(uses_memory({copy}, memory));
}

}  // namespace
}  // namespace kjoule::cuda
