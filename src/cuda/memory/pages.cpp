#include "cuda/memory/pages.hpp"

#include <algorithm>

#include "cuda/driver/check.hpp"
#include "pages_ptx.hpp"

namespace kjoule::cuda {

namespace {

template <typename... Arguments>
void launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  KJOULE_CU(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, pointers, nullptr));
}

constexpr unsigned kHashThreads = 128;
constexpr unsigned kCompareThreads = 256;
constexpr unsigned kCopyThreads = 256;
constexpr unsigned kMostCopyBlocks = 264;
/// The largest copy, in bytes, for one block of threads. Longer runs are divided, so that all blocks have
/// work.
constexpr uint64_t kLongestCopyBytes = 65536;
constexpr unsigned kRunBlocks = 1056;

}  // namespace

PageKernels::PageKernels()
    : module_(kPagesPtx),
      hash_(module_.function("hash_pages")),
      hash_listed_(module_.function("hash_listed_pages")),
      count_(module_.function("count_non_finite")),
      changed_(module_.function("changed_pages")),
      mark_(module_.function("mark_changed_pages")),
      copy_(module_.function("copy_pages")),
      copy_run_(module_.function("copy_run")) {}

void PageKernels::hash(const Allocation& allocation, CUdeviceptr hashes, CUstream stream) const {
  launch(hash_, static_cast<unsigned>(allocation.pages()), kHashThreads, stream,
         CUdeviceptr{allocation.address}, allocation.bytes, hashes);
}

void PageKernels::hash_listed(CUdeviceptr words, unsigned pages, CUdeviceptr hashes, CUstream stream) const {
  if (pages > 0)
    launch(hash_listed_, pages, kHashThreads, stream, words, words + pages * sizeof(uint64_t), hashes);
}

void PageKernels::count_non_finite(const Allocation& allocation, CUdeviceptr counts, CUstream stream) const {
  launch(count_, static_cast<unsigned>(allocation.pages()), kHashThreads, stream,
         CUdeviceptr{allocation.address}, allocation.bytes, counts);
}

void PageKernels::find_changed(CUdeviceptr before, CUdeviceptr after, unsigned pages, CUdeviceptr changed,
                               CUdeviceptr count, CUstream stream) const {
  launch(changed_, (pages + kCompareThreads - 1) / kCompareThreads, kCompareThreads, stream, before, after,
         pages, changed, count);
}

void PageKernels::mark_changed(CUdeviceptr words, unsigned pages, unsigned mark, CUdeviceptr hashes,
                               CUdeviceptr marks, CUstream stream) const {
  if (pages > 0)
    launch(mark_, pages, kHashThreads, stream, words, words + pages * sizeof(uint64_t), mark, hashes, marks);
}

void PageKernels::copy(CUdeviceptr words, unsigned pages, CUstream stream) const {
  const size_t list_bytes = pages * sizeof(uint64_t);
  if (pages > 0)
    launch(copy_, std::min(pages, kMostCopyBlocks), kCopyThreads, stream, words, words + list_bytes,
           words + 2 * list_bytes, pages);
}

void PageKernels::copy_and_wait(const PageCopies& copies, CUstream stream) const {
  const Buffer words = upload(copies.words());
  copy(words.address(), static_cast<unsigned>(copies.to.size()), stream);
  KJOULE_CU(cuStreamSynchronize(stream));
}

void PageKernels::copy_run(CUdeviceptr to, CUdeviceptr from, uint64_t bytes, CUstream stream) const {
  if (bytes > 0) launch(copy_run_, kRunBlocks, kCopyThreads, stream, to, from, bytes);
}

void PageCopies::add(uint64_t target, uint64_t source, uint64_t size) {
  if (!to.empty() && to.back() + bytes.back() == target && from.back() + bytes.back() == source &&
      bytes.back() + size <= kLongestCopyBytes) {
    bytes.back() += size;
    return;
  }
  to.push_back(target);
  from.push_back(source);
  bytes.push_back(size);
}

std::vector<uint64_t> PageList::words() const {
  std::vector<uint64_t> words = address;
  words.insert(words.end(), bytes.begin(), bytes.end());
  return words;
}

std::vector<uint64_t> PageCopies::words() const {
  std::vector<uint64_t> words = to;
  words.insert(words.end(), from.begin(), from.end());
  words.insert(words.end(), bytes.begin(), bytes.end());
  return words;
}

}  // namespace kjoule::cuda
