#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kjoule::inject {

constexpr size_t kPageBytes = 4096;

/// Whole pages, from an address that is a multiple of the page.
struct PageRange {
  uint64_t address = 0;
  uint64_t pages = 0;
  bool operator==(const PageRange&) const = default;
};

/// The device memory that the program holds, as its allocations and releases tell.
class Ranges {
 public:
  void allocated(uint64_t address, size_t bytes);
  /// Releases what was allocated at `address`; unknown addresses are ignored.
  void released(uint64_t address);
  /// Whether the address lies in memory that the program holds.
  bool holds(uint64_t address) const;
  /// Ascending, disjoint, not touching.
  std::vector<PageRange> pages() const;

 private:
  std::map<uint64_t, size_t> bytes_of_;
};

}  // namespace kjoule::inject
