#include "ranges.hpp"

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

std::vector<PageRange> Ranges::pages() const {
  std::vector<PageRange> ranges;
  for (const auto& [address, bytes] : bytes_of_) {
    const uint64_t begin = address / kPageBytes * kPageBytes;
    const uint64_t end = (address + bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    if (!ranges.empty()) {
      PageRange& last = ranges.back();
      const uint64_t last_end = last.address + last.pages * kPageBytes;
      if (begin <= last_end) {
        if (end > last_end) last.pages = (end - last.address) / kPageBytes;
        continue;
      }
    }
    ranges.push_back({begin, (end - begin) / kPageBytes});
  }
  return ranges;
}

}  // namespace kjoule::inject
