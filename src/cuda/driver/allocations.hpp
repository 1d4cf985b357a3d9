#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace kjoule::cuda {

constexpr size_t kPageBytes = 4096;

enum class MemoryKind : uint8_t {
  plain,    ///< allocated by cuMemAlloc
  pool,     ///< allocated from a pool by cuMemAllocAsync
  graph,    ///< allocated by a node of a graph
  mapped,   ///< mapped by cuMemMap
  managed,  ///< allocated by cuMemAllocManaged, or a __managed__ variable of device code
  global,   ///< a __device__ variable of device code
  host      ///< pinned host memory
};

/// The memory of one allocation. It is divided into pages that start at its own address; the last page may be
/// shorter. kjoule never reads or writes memory outside of allocations.
struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< in lists of memory to restore a multiple of 16, as the address
  MemoryKind kind = MemoryKind::plain;
  uint64_t end() const { return address + bytes; }
  bool contains(uint64_t at) const { return address <= at && at < end(); }
  uint64_t pages() const { return (bytes + kPageBytes - 1) / kPageBytes; }
  bool operator==(const Allocation&) const = default;
};

/// Returns the allocation, widened to whole units of 16 bytes. The program may register any part of a page of
/// host memory, of which the device can access the whole page.
Allocation round_up(Allocation allocation);

/// The memory that the program has allocated for launches. Not thread-safe, not even for reading.
class Allocations {
 public:
  /// Adds an allocation. `owner` is the context that frees it when it is destroyed; null if no context does.
  void add(const Allocation& allocation, const void* owner = nullptr);
  /// Removes the allocations that begin in the range of `bytes` bytes from `address` on, and returns the
  /// removed allocations with their own addresses, and sizes rounded up to multiples of 16 bytes. Returns an
  /// empty list if no allocation begins in the range.
  std::vector<Allocation> remove(uint64_t address, uint64_t bytes = 1);
  /// Removes the allocations for which `is_gone` returns true, by allocation and owner. Returns their
  /// addresses.
  std::vector<uint64_t> remove_if(const std::function<bool(const Allocation&, const void*)>& is_gone);
  /// Returns the allocation in which the address lies; null if there is none.
  const Allocation* find(uint64_t address) const;
  bool contains(uint64_t address) const { return find(address) != nullptr; }
  /// Returns all allocations, sorted by address and widened to whole units of 16 bytes.
  std::vector<Allocation> all() const;

 private:
  struct Owned {
    Allocation allocation;
    const void* owner;
  };
  std::map<uint64_t, Owned> by_address_;
  /// The result of the previous find(), because launches use the same allocations repeatedly.
  mutable const Allocation* last_found_ = nullptr;
};

/// Returns disjoint ranges, sorted by address, that cover the same memory as `ranges`, which may overlap.
std::vector<Allocation> merge_overlaps(std::vector<Allocation> ranges);
/// Returns `ranges` without the memory of `others`. Each of the two lists must be disjoint and sorted.
std::vector<Allocation> subtract(const std::vector<Allocation>& ranges,
                                 const std::vector<Allocation>& others);

}  // namespace kjoule::cuda
