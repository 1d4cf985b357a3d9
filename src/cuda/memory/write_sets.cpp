#include "cuda/memory/write_sets.hpp"

#include <algorithm>
#include <utility>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

/// Finds which of the given pages have changed since the last call of find().
class Changes {
 public:
  /// Treats the current memory as unchanged.
  Changes(const PageKernels& kernels, const PagedMemory& memory, const PageSet& pages, CUstream stream)
      : kernels_(kernels),
        stream_(stream),
        count_(pages.size()),
        before_(count_ * sizeof(uint64_t)),
        after_(count_ * sizeof(uint64_t)),
        changed_(count_ * sizeof(unsigned)),
        changes_(sizeof(unsigned)) {
    PageList list;
    pages.for_each([&](unsigned page) {
      pages_.push_back(page);
      list.add(memory.address_of(page), memory.bytes_of(page));
    });
    words_ = upload(list.words());
    kernels_.hash_listed(words_.address(), count_, before_.address(), stream);
  }

  /// Returns the changed pages in ascending order.
  std::vector<unsigned> find() {
    kernels_.hash_listed(words_.address(), count_, after_.address(), stream_);
    KJOULE_CU(cuMemsetD32Async(changes_.address(), 0, 1, stream_));
    kernels_.find_changed(before_.address(), after_.address(), count_, changed_.address(), changes_.address(),
                          stream_);
    KJOULE_CU(cuStreamSynchronize(stream_));
    std::vector<unsigned> found = read_back<unsigned>(changed_, read_back<unsigned>(changes_, 1).front());
    for (unsigned& number : found) number = pages_[number];
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  const PageKernels& kernels_;
  CUstream stream_;
  unsigned count_;
  std::vector<unsigned> pages_;
  Buffer words_, before_, after_, changed_;
  Buffer changes_;  ///< number of changed pages
};

}  // namespace

WriteSets::WriteSets(const PageKernels& kernels, MemoryState& state, const std::vector<Call>& calls,
                     CUstream stream) {
  const PagedMemory& memory = state.snapshot().memory();
  state.restore_all(stream);
  Changes changes(kernels, memory, state.snapshot().images().pages(), stream);
  for (const Call& call : calls) {
    // Peers write into this rank's pages during a collective: it must change these pages at a time of its
    // own.
    const bool is_met = is_collective(call);
    if (is_met) state.peers().meet_in(stream);
    issue(call, stream);
    if (is_met) state.peers().meet_in(stream);
    const std::vector<unsigned> changed = changes.find();
    uint64_t copy = copies_.emplace_back(changed.size() * kPageBytes).address();
    PageCopies save;
    PageCopies outputs;
    for (const unsigned page : changed) {
      save.add(copy, memory.address_of(page), memory.bytes_of(page));
      outputs.add(memory.address_of(page), copy, memory.bytes_of(page));
      copy += kPageBytes;
    }
    kernels.copy_and_wait(save, stream);
    outputs_.push_back(std::move(outputs));
  }
  state.restore_all(stream);
}

}  // namespace kjoule::cuda
