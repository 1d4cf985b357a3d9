#pragma once
#include <cuda.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

constexpr uint64_t kMostPieceBytes = 65536;

/// Pages that follow each other in the program's memory, and the position of their image within its place.
struct PagePiece {
  unsigned first = 0;    ///< number of the first page
  uint64_t address = 0;  ///< in the program's memory
  uint64_t bytes = 0;    ///< at most kMostPieceBytes
  uint64_t image = 0;    ///< offset in bytes from the beginning of the place
  unsigned end() const { return first + static_cast<unsigned>((bytes + kPageBytes - 1) / kPageBytes); }
};

/// Returns pieces that cover these pages, sorted by page number. Their images follow each other.
std::vector<PagePiece> pieces_of(const PagedMemory& memory, const PageSet& pages);
uint64_t bytes_of(const std::vector<PagePiece>& pieces);

/// A place where images of pages are kept.
class PagePlace {
 public:
  virtual ~PagePlace() = default;
  /// Copies the pieces from the program's memory and waits until the copies are complete. Must be called only
  /// once, with all pieces of this place.
  virtual void save(const std::vector<PagePiece>& pieces, CUstream stream) = 0;
  /// Writes all pieces to the program's memory, after previous work in the stream.
  virtual void restore_all(CUstream stream) const = 0;
  /// Writes these pieces, which may be parts of the saved ones, to the program's memory.
  virtual void restore(const std::vector<PagePiece>& pieces, CUstream stream) const = 0;
  /// Returns the device address of the place; nothing if it is not on the device.
  virtual std::optional<CUdeviceptr> on_device() const { return {}; }
};

std::unique_ptr<PagePlace> make_device_place(const PageKernels& kernels, uint64_t bytes);
std::unique_ptr<PagePlace> make_host_place(const PageKernels& kernels, uint64_t bytes);
/// The file has no name, so that it disappears with the process. Throws Error if the disk is full.
std::unique_ptr<PagePlace> make_file_place(const PageKernels& kernels, uint64_t bytes,
                                           const std::filesystem::path& folder);

}  // namespace kjoule::cuda
