#include "cuda/write_sets.hpp"

#include <algorithm>
#include <utility>

#include "cuda/check.hpp"

namespace kjoule::cuda {

namespace {

constexpr size_t kArenaBytes = size_t{256} << 20;

/// Finds the pages that have changed since the last call of find().
class Changes {
 public:
  /// Takes the current memory as unchanged.
  Changes(const PageKernels& kernels, const Snapshot& snapshot, CUstream stream)
      : kernels_(kernels),
        snapshot_(snapshot),
        stream_(stream),
        before_(snapshot.pages() * sizeof(uint64_t)),
        after_(snapshot.pages() * sizeof(uint64_t)),
        changed_(snapshot.pages() * sizeof(unsigned)),
        count_(sizeof(unsigned)) {
    snapshot.hash_now(before_.address(), stream);
  }

  /// Returns the changed pages in ascending order.
  std::vector<unsigned> find() {
    snapshot_.hash_now(after_.address(), stream_);
    KJOULE_CU(cuMemsetD32Async(count_.address(), 0, 1, stream_));
    kernels_.find_changed(before_.address(), after_.address(), snapshot_.pages(), changed_.address(),
                          count_.address(), stream_);
    KJOULE_CU(cuStreamSynchronize(stream_));
    std::vector<unsigned> pages = read_back<unsigned>(changed_, read_back<unsigned>(count_, 1).front());
    std::sort(pages.begin(), pages.end());
    return pages;
  }

 private:
  const PageKernels& kernels_;
  const Snapshot& snapshot_;
  CUstream stream_;
  Buffer before_, after_, changed_, count_;
};

}  // namespace

WriteSets::WriteSets(const PageKernels& kernels, const Snapshot& snapshot, const std::vector<Call>& calls,
                     CUstream stream) {
  snapshot.restore(stream);
  Changes changes(kernels, snapshot, stream);
  for (const Call& call : calls) {
    issue(call, stream);
    PageCopies save;
    PageCopies outputs;
    for (const unsigned page : changes.find()) {
      const uint64_t copy = allocate_page();
      save.add(copy, snapshot.address_of(page), snapshot.bytes_of(page));
      outputs.add(snapshot.address_of(page), copy, snapshot.bytes_of(page));
    }
    kernels.copy_and_wait(save, stream);
    outputs_.push_back(std::move(outputs));
  }
  snapshot.restore(stream);
}

uint64_t WriteSets::allocate_page() {
  if (arena_.empty() || arena_used_ + kPageBytes > kArenaBytes) {
    arena_.emplace_back(kArenaBytes);
    arena_used_ = 0;
  }
  const uint64_t address = arena_.back().address() + arena_used_;
  arena_used_ += kPageBytes;
  return address;
}

}  // namespace kjoule::cuda
