#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuda/ranges.hpp"

namespace kjoule::inject {

/// The arguments of one launch, packed. Launches of one group differ in nothing else: same function, grid,
/// block, shared bytes and attributes.
struct LaunchArguments {
  uint64_t group = 0;
  const std::vector<std::byte>* bytes = nullptr;
};

/// One hash for each launch, equal within a group where the arguments say the same.
///
/// Left out are addresses of the process's memory, and words that hardly ever repeat among the launches of a
/// group (of more than 8 launches: more than 8 values, more than one for every four launches): counters,
/// seeds, and what programs leave unset in structures that they pass by value, which is whatever stood on the
/// stack.
std::vector<uint64_t> value_hashes(const std::vector<LaunchArguments>& launches,
                                   const std::function<bool(uint64_t)>& is_address);

/// The memory of this process, host and device.
class AddressSpace {
 public:
  /// `maps` as Linux writes /proc/self/maps.
  AddressSpace(const std::string& maps, const Ranges& device);
  /// Where a word may be read as one: numbers below 2^28 are taken for what they are, though a program may
  /// lie there.
  bool holds(uint64_t address) const;

 private:
  Ranges host_;
  const Ranges& device_;
};

}  // namespace kjoule::inject
