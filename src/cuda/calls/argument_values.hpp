#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// The packed arguments of one launch.
struct LaunchArguments {
  /// Hash of function, grid, block, shared bytes and attributes. Launches with equal hashes differ only in
  /// their arguments.
  uint64_t shape_and_attributes = 0;
  const std::vector<std::byte>* bytes = nullptr;
};

/// Returns one hash for each launch. If two launches of equal shape and attributes have equal hashes, their
/// argument values are equal. Two kinds of 4-byte words in arguments are not hashed:
///
/// 1. Addresses of the process's memory.
///
/// 2. Words that hardly ever repeat. There must be more than 8 launches of equal shape and attributes, in
/// which the word has more than 8 values, and more than one value for every four launches. Such words are
/// counters, seeds, or unused parts of structures that are passed by value and contain old stack memory.
std::vector<uint64_t> argument_value_hashes(const std::vector<LaunchArguments>& launches,
                                            const std::function<bool(uint64_t)>& is_address);

/// The host and device memory of this process.
class AddressSpace {
 public:
  /// `maps` is the content of /proc/self/maps.
  AddressSpace(const std::string& maps, const Allocations& device);
  /// Returns whether the word can be an address of the process's memory. Words below 2^28 are treated as
  /// numbers, although a program may lie at such addresses.
  bool contains(uint64_t address) const;

 private:
  Allocations host_;
  const Allocations& device_;
};

}  // namespace kjoule::cuda
