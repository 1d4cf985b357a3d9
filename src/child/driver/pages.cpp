#include "pages.hpp"

#include <algorithm>
#include <utility>

#include "check.hpp"
#include "pages_ptx.hpp"

namespace kjoule::driver {

namespace {

template <typename... Arguments>
void launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  KJOULE_CU(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, pointers, nullptr));
}

/// What the driver maps at a time; allocations of whole blocks have no neighbours in them.
constexpr size_t kBlockBytes = size_t{2} << 20;
constexpr unsigned kHashThreads = 128;
constexpr unsigned kCompareThreads = 256;
constexpr unsigned kCopyThreads = 256;
constexpr unsigned kMostCopyBlocks = 264;
constexpr unsigned kRunBlocks = 1056;
constexpr uint64_t kMostBlocks = 1u << 30;

}  // namespace

Buffer::Buffer(size_t bytes) {
  // Small allocations share pages with the program's, and those are put back to what they were.
  const size_t rounded = (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  if (bytes > 0) KJOULE_CU(cuMemAlloc(&address_, rounded));
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(address_, other.address_);
  return *this;
}

Buffer::~Buffer() {
  if (address_ != 0) cuMemFree(address_);
}

PageKernels::PageKernels() {
  KJOULE_CU(cuModuleLoadData(&module_, kPagesPtx));
  KJOULE_CU(cuModuleGetFunction(&hash_, module_, "hash_pages"));
  KJOULE_CU(cuModuleGetFunction(&changed_, module_, "changed_pages"));
  KJOULE_CU(cuModuleGetFunction(&copy_, module_, "copy_pages"));
  KJOULE_CU(cuModuleGetFunction(&copy_run_, module_, "copy_run"));
}

PageKernels::~PageKernels() {
  cuModuleUnload(module_);
}

void PageKernels::hash(const inject::PageRange& range, CUdeviceptr hashes, CUstream stream) const {
  for (uint64_t done = 0; done < range.pages; done += kMostBlocks) {
    const auto pages = static_cast<unsigned>(std::min(kMostBlocks, range.pages - done));
    launch(hash_, pages, kHashThreads, stream, CUdeviceptr{range.address + done * inject::kPageBytes},
           CUdeviceptr{hashes + done * sizeof(uint64_t)});
  }
}

void PageKernels::changed(CUdeviceptr before, CUdeviceptr after, unsigned pages, CUdeviceptr changed,
                          CUdeviceptr count, CUstream stream) const {
  launch(changed_, (pages + kCompareThreads - 1) / kCompareThreads, kCompareThreads, stream, before, after, pages,
         changed, count);
}

void PageKernels::copy(CUdeviceptr to, CUdeviceptr from, unsigned pages, CUstream stream) const {
  if (pages > 0) launch(copy_, std::min(pages, kMostCopyBlocks), kCopyThreads, stream, to, from, pages);
}

void PageKernels::copy_run(CUdeviceptr to, CUdeviceptr from, uint64_t pages, CUstream stream) const {
  if (pages > 0) launch(copy_run_, kRunBlocks, kCopyThreads, stream, to, from, pages);
}

}  // namespace kjoule::driver
