#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>

namespace stand_in {

/// The exception of a kernel that reads or writes memory that is not allocated.
struct IllegalAddress : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device's memory: one piece of host memory, so that addresses are plain pointers. Blocks are spaced by
/// 512 bytes. They are allocated from the lowest free place, so that freed memory is soon reused with its old
/// contents. With FAKE_CUDA_NEXT_FIT=1, they are allocated from the next free place after the last block, so
/// that freed memory is reused late.
class Memory {
 public:
  static constexpr size_t kSpacing = 512;

  /// Returns the memory, which has FAKE_CUDA_MEMORY bytes, or 2 GiB by default; only pages that are touched
  /// take host memory. With FAKE_CUDA_DEVICE, other processes can map it.
  static Memory& device();

  /// Returns the address; 0 if there is no space.
  uint64_t allocate(size_t bytes, bool managed);
  /// Returns the address of memory that only this device of the process can reach.
  uint64_t allocate_for(int device, size_t bytes);
  bool release(uint64_t address);
  /// Frees all memory that was allocated while this device was current.
  void release_all(int device);

  /// Reserves addresses, which are not accessible before map().
  uint64_t reserve(size_t bytes);
  bool end_reservation(uint64_t address, size_t bytes);
  bool map(uint64_t address, size_t bytes);
  bool unmap(uint64_t address, size_t bytes);

  /// Returns whether all of these bytes are in allocated blocks. As on a GPU, accesses beyond a block into a
  /// neighbouring one are not detected.
  bool holds(uint64_t address, size_t bytes) const;
  bool is_managed(uint64_t address) const;
  /// Returns the device of the process that was current when the memory was allocated.
  int device_of(uint64_t address) const;
  /// Returns whether a device of the process can reach this memory.
  bool is_reachable(uint64_t address, int device) const;
  /// The block that contains an address; it has 0 bytes if there is none.
  struct Range {
    uint64_t address = 0;
    size_t bytes = 0;
  };
  Range range_of(uint64_t address) const;
  /// Returns the file that other processes may map, and the offset of an address in it; -1 if there is no
  /// file.
  int file() const { return file_; }
  uint64_t offset_of(uint64_t address) const { return address - base_; }
  size_t total() const { return total_; }
  size_t free() const { return total_ - used_; }

 private:
  struct Block {
    size_t bytes;
    bool managed = false;
    int device = 0;
    bool is_for_one_device = false;
  };
  Memory();
  std::map<uint64_t, Block>::const_iterator block_of(uint64_t address) const;
  /// Returns a free place of this size; 0 if there is none.
  uint64_t take(size_t bytes);
  void give_back(uint64_t address, size_t bytes);
  std::map<uint64_t, size_t>::iterator first_gap(size_t bytes, uint64_t from);

  size_t total_;
  int file_ = -1;
  uint64_t base_ = 0;
  size_t used_ = 0;
  bool is_next_fit_;
  uint64_t next_ = 0;  ///< address at which to begin the search if is_next_fit_
  std::map<uint64_t, Block> blocks_;
  std::map<uint64_t, size_t> gaps_;
  std::map<uint64_t, size_t> reserved_;  ///< reserved addresses that are not mapped
};

/// Host memory that kernels may also access. There are few allocations, made by one thread.
class HostMemory {
 public:
  static HostMemory& mapped();
  /// Returns zeroed memory; null if there is no space.
  void* allocate(size_t bytes);
  void release(void* memory);
  /// Registers memory of the program, until forget().
  void adopt(void* memory, size_t bytes);
  bool forget(void* memory);
  bool holds(uint64_t address, size_t bytes) const;

 private:
  std::map<uint64_t, size_t> blocks_;
};

}  // namespace stand_in
