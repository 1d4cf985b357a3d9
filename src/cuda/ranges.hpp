#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kjoule::inject {

constexpr size_t kPageBytes = 4096;

/// Device memory that one allocation gave. It is cut into pages from its own address on; the last may be
/// shorter. What lies around it is not ours to read or write.
struct Range {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< a multiple of 16, as allocations are spaced
  uint64_t pages() const { return (bytes + kPageBytes - 1) / kPageBytes; }
  bool operator==(const Range&) const = default;
};

/// The device memory that the program holds, as its allocations and releases tell.
class Ranges {
 public:
  void allocated(uint64_t address, size_t bytes);
  /// Releases what was allocated at `address`; unknown addresses are ignored.
  void released(uint64_t address);
  /// Whether the address lies in memory that the program holds.
  bool holds(uint64_t address) const;
  /// By address.
  std::vector<Range> all() const;

 private:
  std::map<uint64_t, size_t> bytes_of_;
};

}  // namespace kjoule::inject
