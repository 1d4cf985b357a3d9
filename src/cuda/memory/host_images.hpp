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

/// Memory of the host that is not pinned. Forked processes do not get it.
class MappedBytes {
 public:
  /// Throws Error when the system refuses.
  explicit MappedBytes(uint64_t bytes);
  /// The memory is a file without a name in `folder`. Throws Error when the disk is full.
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

/// Moves pages between the program's memory and memory of the host that is not pinned, through two pinned
/// buffers of at most 64 MiB: the device works on one of them while the host works on the other. Pinning
/// all images instead would take long.
class HostTransfer {
 public:
  /// `bytes` is the most that one call moves; buffers are not larger than that.
  HostTransfer(const PageKernels& kernels, uint64_t bytes);
  ~HostTransfer();
  HostTransfer(const HostTransfer&) = delete;
  HostTransfer& operator=(const HostTransfer&) = delete;
  /// Copies the pieces to their places in `images`, and waits.
  void fetch(const std::vector<PagePiece>& pieces, std::byte* images, CUstream stream) const;
  /// Writes the pieces from their places in `images`, after previous work in the stream. Waits until the last
  /// ones are in the pinned buffers.
  void write(const std::vector<PagePiece>& pieces, const std::byte* images, CUstream stream) const;

 private:
  struct PinnedBuffer {
    HostMemory bytes;
    HostMemory words;
    CUevent done = nullptr;  ///< after the device's last work on it
  };
  /// Pieces that one buffer holds together.
  using Load = std::pair<const PagePiece*, const PagePiece*>;
  std::vector<Load> loads_of(const std::vector<PagePiece>& pieces) const;
  void copy(const Load& load, const PinnedBuffer& buffer, bool to_program, CUstream stream) const;

  const PageKernels& kernels_;
  uint64_t buffer_bytes_;
  uint64_t most_pieces_;
  std::array<PinnedBuffer, 2> buffers_;
};

}  // namespace kjoule::cuda
