#pragma once
#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/memory/page_place.hpp"
#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

/// Copies of pages of the program's memory. The copies are kept on the device; copies for which the device
/// has no space are kept in host memory, and copies for which the host has no space in a file.
class PageImages {
 public:
  explicit PageImages(const PageKernels& kernels) : kernels_(kernels) {}
  /// Copies the contents of these pages, except for pages that already have images. If there is no space
  /// anywhere, throws Error before anything is copied; the message calls the pages `what`.
  void save(const PagedMemory& memory, const PageSet& pages, const char* what, CUstream stream);
  const PageSet& pages() const { return pages_; }
  /// Writes all images back to the program's memory.
  void restore(CUstream stream) const;
  /// Writes back the images of these pages. Pages without an image are not written.
  void restore(const PageSet& pages, CUstream stream) const;
  /// Returns the pages that have images on the device.
  const PageSet& pages_on_device() const { return on_device_; }
  /// Returns the pieces of these pages that have images on the device. The member `image` of each is its
  /// device address.
  std::vector<PagePiece> on_device(const PageSet& pages) const;
  uint64_t bytes_on_host() const { return bytes_on_host_; }
  uint64_t bytes_in_files() const { return bytes_in_files_; }

 private:
  struct Part {
    std::unique_ptr<PagePlace> place;
    std::vector<PagePiece> pieces;  ///< sorted by page number
  };
  void save_in(std::unique_ptr<PagePlace> place, std::vector<PagePiece> pieces, CUstream stream);

  const PageKernels& kernels_;
  PageSet pages_;
  PageSet on_device_;
  std::vector<Part> parts_;
  uint64_t bytes_on_host_ = 0;
  uint64_t bytes_in_files_ = 0;
};

/// Returns a clause, for the description of the iteration, about images that are not on the GPU; an empty
/// text if all images are there.
std::string images_clause(const PageImages& images);

}  // namespace kjoule::cuda
