#include "recording/last_occurrence.hpp"

#include <bit>

namespace kjoule {

namespace {

/// Returns a number whose bits depend on all bits of `value` (the finalizer of splitmix64).
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Positions by hash, in a table with open addressing.
class LastPositions {
 public:
  explicit LastPositions(size_t most)
      : slots_(std::bit_ceil(2 * most + 1), Slot{0, kNone}), mask_(slots_.size() - 1) {}

  /// Returns the last position that was stored for the hash, or kNone, and stores `position`.
  uint32_t exchange(uint64_t hash, uint32_t position) {
    size_t at = hash & mask_;
    while (slots_[at].position != kNone && slots_[at].hash != hash) at = (at + 1) & mask_;
    const uint32_t last = slots_[at].position;
    slots_[at] = {hash, position};
    return last;
  }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  struct Slot {
    uint64_t hash;
    uint32_t position;
  };
  std::vector<Slot> slots_;
  size_t mask_;
};

}  // namespace

std::vector<uint32_t> distances_to_last(const std::vector<uint32_t>& items, size_t length) {
  constexpr uint64_t kBase = 0x9e3779b97f4a7c15;
  uint64_t base_to_length = 1;
  for (size_t i = 0; i < length; ++i) base_to_length *= kBase;
  std::vector<uint32_t> distances(items.size());
  LastPositions positions(items.size());
  uint64_t hash = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    hash = hash * kBase + mix(uint64_t{items[i]} + 1);
    if (i >= length) hash -= base_to_length * mix(uint64_t{items[i - length]} + 1);
    if (i + 1 < length) continue;
    const uint32_t last = positions.exchange(mix(hash), static_cast<uint32_t>(i));
    if (last != LastPositions::kNone) distances[i] = static_cast<uint32_t>(i) - last;
  }
  return distances;
}

}  // namespace kjoule
