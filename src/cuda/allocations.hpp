#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace kjoule::cuda {

constexpr size_t kPageBytes = 4096;

/// The device memory of one allocation. It is divided into pages that start at its own address; the last page
/// may be shorter. kjoule never reads or writes memory outside it.
struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< a multiple of 16, the spacing of allocations
  uint64_t pages() const { return (bytes + kPageBytes - 1) / kPageBytes; }
  bool operator==(const Allocation&) const = default;
};

/// The device memory that the program has allocated.
class Allocations {
 public:
  void add(uint64_t address, size_t bytes);
  /// Removes the allocation at `address`. Unknown addresses are ignored.
  void remove(uint64_t address);
  /// Returns whether the address lies in memory that the program has allocated.
  bool contains(uint64_t address) const;
  /// Returns all allocations, sorted by address, with sizes rounded up to multiples of 16 bytes.
  std::vector<Allocation> all() const;

 private:
  std::map<uint64_t, size_t> bytes_of_;
};

}  // namespace kjoule::cuda
