#include "cuda/calls/argument_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

namespace kjoule::cuda {
namespace {

std::vector<std::byte> packed(const std::vector<uint64_t>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(uint64_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::vector<uint64_t> hashes(
    const std::vector<std::vector<uint64_t>>& launches,
    const std::function<bool(uint64_t)>& is_address = [](uint64_t) { return false; }) {
  std::vector<std::vector<std::byte>> bytes;
  for (const auto& words : launches) bytes.push_back(packed(words));
  std::vector<LaunchArguments> arguments;
  for (const auto& each : bytes) arguments.push_back({1, &each});
  return argument_value_hashes(arguments, is_address);
}

TEST(ArgumentValues, AddressesDoNotTellKernelsApartButScalarsDo) {
  const auto high = [](uint64_t word) { return word >= 0x7f0000000000; };
  const auto found = hashes({{0x7f5d3a000000, 64}, {0x7f5d42000000, 64}, {0x7f5d3a000000, 128}}, high);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_NE(found[0], found[2]);
}

TEST(ArgumentValues, AddressesAreSeenAtAnyMultipleOfFourBytes) {
  const auto high = [](uint64_t word) { return word >> 32 == 0x7f5d; };
  const auto found = hashes({{0x3a00000000000005, 0x7f5d}, {0x4200000000000005, 0x7f5d}}, high);
  EXPECT_EQ(found[0], found[1]);
}

TEST(ArgumentValues, WhatHardlyEverRepeatsIsLeftOutOnceThereAreEnoughLaunches) {
  std::vector<std::vector<uint64_t>> launches;
  for (uint64_t i = 0; i < 64; ++i) launches.push_back({i % 2, 1000 + i});
  const auto found = hashes(launches);
  EXPECT_EQ(std::set(found.begin(), found.end()).size(), 2u);
  launches.resize(8);
  const auto few = hashes(launches);
  EXPECT_EQ(std::set(few.begin(), few.end()).size(), 8u);
}

TEST(ArgumentValues, ValuesThatRepeatStayHoweverManyThereAre) {
  std::vector<std::vector<uint64_t>> launches;
  for (uint64_t i = 0; i < 64; ++i) launches.push_back({i % 12});
  const auto found = hashes(launches);
  EXPECT_EQ(std::set(found.begin(), found.end()).size(), 12u);
}

TEST(ArgumentValues, LaunchesOfOtherShapesDoNotCount) {
  const auto bytes = packed({7});
  const auto found = argument_value_hashes({{1, &bytes}, {2, &bytes}}, [](uint64_t) { return false; });
  EXPECT_EQ(found[0], found[1]) << "the shape is in the signature anyway";
}

TEST(AddressSpace, KnowsHostAndDeviceMemoryButNotSmallNumbers) {
  Allocations device;
  device.add({0x7f5d3a000000, 4096});
  const AddressSpace memory(
      "00400000-00c00000 r-xp 00000000 fe:00 1 /usr/bin/python3\n"
      "1fff0000-3b000000 rw-p 00000000 00:00 0 [heap]\n"
      "7ffe88a10000-7ffe88a40000 rw-p 00000000 00:00 0 [stack]\n",
      device);
  EXPECT_TRUE(memory.contains(0x7f5d3a000010));
  EXPECT_TRUE(memory.contains(0x3a1ab390));
  EXPECT_TRUE(memory.contains(0x7ffe88a3a290));
  EXPECT_FALSE(memory.contains(0x800000)) << "a program lies there, but so does the number of elements";
  EXPECT_FALSE(memory.contains(0x7f5d3a001000));
}

}  // namespace
}  // namespace kjoule::cuda
