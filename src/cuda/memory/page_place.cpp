#include "cuda/memory/page_place.hpp"

#include <algorithm>
#include <utility>

#include "cuda/driver/buffer.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/memory/host_images.hpp"

namespace kjoule::cuda {

namespace {

class DevicePlace final : public PagePlace {
 public:
  DevicePlace(const PageKernels& kernels, uint64_t bytes) : kernels_(kernels), images_(bytes) {}
  void save(const std::vector<PagePiece>& pieces, CUstream stream) override {
    PageCopies saving;
    for (const PagePiece& piece : pieces)
      saving.add(images_.address() + piece.image, piece.address, piece.bytes);
    kernels_.copy_and_wait(saving, stream);
    const PageCopies restoring = restoring_of(pieces);
    words_ = upload(restoring.words());
    copies_ = static_cast<unsigned>(restoring.to.size());
  }
  void restore_all(CUstream stream) const override { kernels_.copy(words_.address(), copies_, stream); }
  void restore(const std::vector<PagePiece>& pieces, CUstream stream) const override {
    kernels_.copy_and_wait(restoring_of(pieces), stream);
  }
  std::optional<CUdeviceptr> on_device() const override { return images_.address(); }

 private:
  PageCopies restoring_of(const std::vector<PagePiece>& pieces) const {
    PageCopies copies;
    for (const PagePiece& piece : pieces)
      copies.add(piece.address, images_.address() + piece.image, piece.bytes);
    return copies;
  }

  const PageKernels& kernels_;
  Buffer images_;
  Buffer words_;  ///< the copies that restore all pieces, on the device
  unsigned copies_ = 0;
};

/// Keeps images in host memory, or in a file that is mapped into this process.
class HostPlace final : public PagePlace {
 public:
  HostPlace(const PageKernels& kernels, MappedBytes images)
      : images_(std::move(images)), transfer_(kernels, images_.size()) {}
  void save(const std::vector<PagePiece>& pieces, CUstream stream) override {
    transfer_.fetch(pieces, images_.get(), stream);
    pieces_ = pieces;
  }
  void restore_all(CUstream stream) const override { restore(pieces_, stream); }
  void restore(const std::vector<PagePiece>& pieces, CUstream stream) const override {
    transfer_.write(pieces, images_.get(), stream);
  }

 private:
  MappedBytes images_;
  HostTransfer transfer_;
  std::vector<PagePiece> pieces_;
};

}  // namespace

std::vector<PagePiece> pieces_of(const PagedMemory& memory, const PageSet& pages) {
  std::vector<PagePiece> pieces;
  uint64_t image = 0;
  for (const PagedMemory::Range& range : memory.ranges_of(pages))
    for (uint64_t at = 0; at < range.memory.bytes; at += kMostPieceBytes) {
      const uint64_t bytes = std::min(kMostPieceBytes, range.memory.bytes - at);
      pieces.push_back(
          {range.first + static_cast<unsigned>(at / kPageBytes), range.memory.address + at, bytes, image});
      image += bytes;
    }
  return pieces;
}

uint64_t bytes_of(const std::vector<PagePiece>& pieces) {
  uint64_t bytes = 0;
  for (const PagePiece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

std::unique_ptr<PagePlace> make_device_place(const PageKernels& kernels, uint64_t bytes) {
  return std::make_unique<DevicePlace>(kernels, bytes);
}

std::unique_ptr<PagePlace> make_host_place(const PageKernels& kernels, uint64_t bytes) {
  return std::make_unique<HostPlace>(kernels, MappedBytes(bytes));
}

std::unique_ptr<PagePlace> make_file_place(const PageKernels& kernels, uint64_t bytes,
                                           const std::filesystem::path& folder) {
  return std::make_unique<HostPlace>(kernels, MappedBytes(bytes, folder));
}

}  // namespace kjoule::cuda
