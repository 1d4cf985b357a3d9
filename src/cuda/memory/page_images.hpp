#pragma once
#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuda/memory/page_place.hpp"
#include "cuda/memory/paged_memory.hpp"

namespace kjoule::cuda {

/// Copies of pages of the program's memory. They are kept on the device, and where it has no room in memory
/// of the host, then in a file.
class PageImages {
 public:
  explicit PageImages(const PageKernels& kernels) : kernels_(kernels) {}
  /// Copies the contents of these pages, except of pages that have images already. Throws Error before
  /// anything is copied if there is no room anywhere; the message calls the pages `what`.
  void save(const PagedMemory& memory, const PageSet& pages, const char* what, CUstream stream);
  const PageSet& pages() const { return pages_; }
  /// Writes all pages.
  void restore(CUstream stream) const;
  /// Writes those of these pages that have an image.
  void restore(const PageSet& pages, CUstream stream) const;
  /// Returns the pages that have images on the device.
  const PageSet& pages_on_device() const { return on_device_; }
  /// Returns pieces for those of these pages that have images on the device; their `image` is its address.
  std::vector<PagePiece> on_device(const PageSet& pages) const;
  uint64_t bytes_on_host() const { return bytes_on_host_; }
  uint64_t bytes_in_files() const { return bytes_in_files_; }

 private:
  struct Part {
    std::unique_ptr<PagePlace> place;
    std::vector<PagePiece> pieces;  ///< ascending
  };
  void save_in(std::unique_ptr<PagePlace> place, std::vector<PagePiece> pieces, CUstream stream);

  const PageKernels& kernels_;
  PageSet pages_;
  PageSet on_device_;
  std::vector<Part> parts_;
  uint64_t bytes_on_host_ = 0;
  uint64_t bytes_in_files_ = 0;
};

/// Returns a clause about images that are not on the GPU, for the description of the iteration; an empty text
/// if all of them are.
std::string images_clause(const PageImages& images);

}  // namespace kjoule::cuda
