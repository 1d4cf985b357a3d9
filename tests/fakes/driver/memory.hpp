#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>

namespace stand_in {

/// What a kernel that reads or writes where it must not throws.
struct IllegalAddress : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device's memory: one piece of the host's, so that addresses are plain pointers. Blocks are spaced by
/// 512 bytes and cut from the lowest free place, so that what was freed soon comes back with its old bytes;
/// with FAKE_CUDA_NEXT_FIT=1 from the next free place after the last block, so that it comes back late.
class Memory {
 public:
  static constexpr size_t kSpacing = 512;

  /// FAKE_CUDA_MEMORY bytes; 2 GiB by default, of which only what is touched costs anything. With
  /// FAKE_CUDA_DEVICE, other processes can map it.
  static Memory& device();

  /// 0 when there is no room.
  uint64_t allocate(size_t bytes, bool managed);
  bool release(uint64_t address);

  /// Reserves addresses, which are not accessible before map().
  uint64_t reserve(size_t bytes);
  bool end_reservation(uint64_t address, size_t bytes);
  bool map(uint64_t address, size_t bytes);
  bool unmap(uint64_t address, size_t bytes);

  /// Whether all of it lies in live blocks; like a GPU's pages, they do not guard against their neighbours.
  bool holds(uint64_t address, size_t bytes) const;
  bool is_managed(uint64_t address) const;
  /// The block that contains an address; without bytes if there is none.
  struct Range {
    uint64_t address = 0;
    size_t bytes = 0;
  };
  Range range_of(uint64_t address) const;
  /// The file that other processes may map, and where an address is in it; -1 if there is none.
  int file() const { return file_; }
  uint64_t offset_of(uint64_t address) const { return address - base_; }
  size_t total() const { return total_; }
  size_t free() const { return total_ - used_; }

 private:
  struct Block {
    size_t bytes;
    bool managed = false;
  };
  Memory();
  std::map<uint64_t, Block>::const_iterator block_of(uint64_t address) const;
  /// Takes a place of this size. 0 when there is none.
  uint64_t take(size_t bytes);
  void give_back(uint64_t address, size_t bytes);
  std::map<uint64_t, size_t>::iterator first_gap(size_t bytes, uint64_t from);

  size_t total_;
  int file_ = -1;
  uint64_t base_ = 0;
  size_t used_ = 0;
  bool is_next_fit_;
  uint64_t next_ = 0;  ///< where to search, if is_next_fit_
  std::map<uint64_t, Block> blocks_;
  std::map<uint64_t, size_t> gaps_;
  std::map<uint64_t, size_t> reserved_;  ///< not mapped
};

/// Memory of the host's that kernels may use, too. Its allocations are few, and of one thread.
class HostMemory {
 public:
  static HostMemory& mapped();
  /// Zeroed; null when there is no room.
  void* allocate(size_t bytes);
  void release(void* memory);
  /// Makes memory known that is not its own, until forget().
  void adopt(void* memory, size_t bytes);
  bool forget(void* memory);
  bool holds(uint64_t address, size_t bytes) const;

 private:
  std::map<uint64_t, size_t> blocks_;
};

}  // namespace stand_in
