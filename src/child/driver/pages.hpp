#pragma once
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "child/inject/ranges.hpp"

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

/// Addresses to copy pages to, and from.
struct PageCopies {
  std::vector<uint64_t> to;
  std::vector<uint64_t> from;
};

/// The kernels of pages.cu, loaded into the current context.
class PageKernels {
 public:
  PageKernels();
  ~PageKernels();
  PageKernels(const PageKernels&) = delete;
  PageKernels& operator=(const PageKernels&) = delete;
  void hash(const inject::PageRange& range, CUdeviceptr hashes, CUstream stream) const;
  /// `changed` has room for all pages, `count` is one zeroed 32-bit word.
  void changed(CUdeviceptr before, CUdeviceptr after, unsigned pages, CUdeviceptr changed, CUdeviceptr count,
               CUstream stream) const;
  /// From the addresses listed at `from` to those listed at `to`.
  void copy(CUdeviceptr to, CUdeviceptr from, unsigned pages, CUstream stream) const;
  /// Pages in a row.
  void copy_run(CUdeviceptr to, CUdeviceptr from, uint64_t pages, CUstream stream) const;

 private:
  CUmodule module_ = nullptr;
  CUfunction hash_ = nullptr;
  CUfunction changed_ = nullptr;
  CUfunction copy_ = nullptr;
  CUfunction copy_run_ = nullptr;
};

}  // namespace kjoule::driver
