#include "cuda/ranges.hpp"

namespace kjoule::inject {

void Ranges::allocated(uint64_t address, size_t bytes) {
  if (bytes > 0) bytes_of_[address] = bytes;
}

void Ranges::released(uint64_t address) {
  bytes_of_.erase(address);
}

bool Ranges::holds(uint64_t address) const {
  auto next = bytes_of_.upper_bound(address);
  if (next == bytes_of_.begin()) return false;
  --next;
  return address < next->first + next->second;
}

std::vector<Range> Ranges::all() const {
  constexpr uint64_t kUnit = 16;
  std::vector<Range> ranges;
  for (const auto& [address, bytes] : bytes_of_)
    ranges.push_back({address, (bytes + kUnit - 1) / kUnit * kUnit});
  return ranges;
}

}  // namespace kjoule::inject
