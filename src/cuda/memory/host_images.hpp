#pragma once
#include <cuda.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "cuda/driver/host_memory.hpp"
#include "cuda/memory/page_place.hpp"

namespace kjoule::cuda {

/// Host memory that is not pinned. Forked processes do not inherit it.
class MappedBytes {
 public:
  /// Throws Error if the system does not provide the memory.
  explicit MappedBytes(uint64_t bytes);
  /// The memory is a file without a name in `folder`. Throws Error if the disk is full.
  MappedBytes(uint64_t bytes, const std::filesystem::path& folder);
  MappedBytes(MappedBytes&& other) noexcept
      : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)) {}
  MappedBytes& operator=(MappedBytes&&) = delete;
  ~MappedBytes();
  std::byte* get() const { return static_cast<std::byte*>(memory_); }
  uint64_t size() const { return bytes_; }

 private:
  uint64_t bytes_;
  void* memory_ = nullptr;
};

/// Moves pages between the program's memory and host memory that is not pinned, through two pinned buffers of
/// at most 64 MiB: while the device copies from or to one buffer, the host copies to or from the other. The
/// memory of the images itself is not pinned, because pinning much memory takes long.
class HostTransfer {
 public:
  /// `bytes` is the largest number of bytes that one call moves. The buffers are not larger than that.
  HostTransfer(const PageKernels& kernels, uint64_t bytes);
  ~HostTransfer();
  HostTransfer(const HostTransfer&) = delete;
  HostTransfer& operator=(const HostTransfer&) = delete;
  /// Copies the pieces to their positions in `images`, and waits until the copies are complete.
  void fetch(const std::vector<PagePiece>& pieces, std::byte* images, CUstream stream) const;
  /// Writes the pieces from their positions in `images`, after previous work in the stream. Waits until the
  /// last pieces are in the pinned buffers.
  void write(const std::vector<PagePiece>& pieces, const std::byte* images, CUstream stream) const;

 private:
  struct PinnedBuffer {
    HostMemory bytes;
    HostMemory words;
    CUevent done = nullptr;  ///< recorded after the device's last work on the buffer
  };
  /// Consecutive pieces that fit together into one buffer.
  using Load = std::pair<const PagePiece*, const PagePiece*>;
  std::vector<Load> loads_of(const std::vector<PagePiece>& pieces) const;
  void copy(const Load& load, const PinnedBuffer& buffer, bool to_program, CUstream stream) const;

  const PageKernels& kernels_;
  uint64_t buffer_bytes_;
  uint64_t most_pieces_;
  std::array<PinnedBuffer, 2> buffers_;
};

}  // namespace kjoule::cuda
