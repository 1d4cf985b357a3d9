#pragma once
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "child/inject/ranges.hpp"
#include "module.hpp"

namespace kjoule::driver {

/// Device memory of our own; freed with the object.
class Buffer {
 public:
  Buffer() = default;
  /// Throws DeviceError when there is no room.
  explicit Buffer(size_t bytes);
  Buffer(Buffer&& other) noexcept : address_(other.address_) { other.address_ = 0; }
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();
  CUdeviceptr address() const { return address_; }

 private:
  CUdeviceptr address_ = 0;
};

/// Copies of pages and of runs of pages: lists of equal length.
struct PageCopies {
  std::vector<uint64_t> to;
  std::vector<uint64_t> from;
  std::vector<uint64_t> bytes;
  /// Joined to the last one where both ends continue it.
  void add(uint64_t target, uint64_t source, uint64_t size);
  /// One list after another, as the device gets them.
  std::vector<uint64_t> words() const;
};

/// The kernels of pages.cu, loaded into the current context.
class PageKernels {
 public:
  PageKernels();
  void hash(const inject::Range& range, CUdeviceptr hashes, CUstream stream) const;
  /// Two 32-bit counts for each page: numbers that would be infinite or none, as 32-bit or bfloat16 ones and
  /// as 16-bit ones.
  void count_non_finite(const inject::Range& range, CUdeviceptr counts, CUstream stream) const;
  /// `changed` has room for all pages, `count` is one zeroed 32-bit word.
  void changed(CUdeviceptr before, CUdeviceptr after, unsigned pages, CUdeviceptr changed, CUdeviceptr count,
               CUstream stream) const;
  /// `words` is where PageCopies::words() lie on the device.
  void copy(CUdeviceptr words, unsigned pages, CUstream stream) const;
  void copy_run(CUdeviceptr to, CUdeviceptr from, uint64_t bytes, CUstream stream) const;

 private:
  Module module_;
  CUfunction hash_, count_, changed_, copy_, copy_run_;
};

}  // namespace kjoule::driver
