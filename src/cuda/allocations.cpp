#include "cuda/allocations.hpp"

namespace kjoule::cuda {

void Allocations::add(uint64_t address, size_t bytes) {
  if (bytes > 0) bytes_of_[address] = bytes;
}

void Allocations::remove(uint64_t address) {
  bytes_of_.erase(address);
}

bool Allocations::contains(uint64_t address) const {
  auto next = bytes_of_.upper_bound(address);
  if (next == bytes_of_.begin()) return false;
  --next;
  return address < next->first + next->second;
}

std::vector<Allocation> Allocations::all() const {
  constexpr uint64_t kUnit = 16;
  std::vector<Allocation> allocations;
  for (const auto& [address, bytes] : bytes_of_)
    allocations.push_back({address, (bytes + kUnit - 1) / kUnit * kUnit});
  return allocations;
}

}  // namespace kjoule::cuda
