#include "cuda/memory_state.hpp"

#include "cuda/check.hpp"
#include "cuda/differences.hpp"

namespace kjoule::cuda {

namespace {

/// Replays the iteration and waits after each launch, so that an error names the launch that faulted.
void replay_one_by_one(const std::vector<Call>& calls, CUstream stream) {
  for (size_t launch = 0; launch < calls.size(); ++launch) {
    try {
      issue(calls[launch], stream);
      KJOULE_CU(cuStreamSynchronize(stream));
    } catch (const DeviceError& error) {
      throw DeviceError("launch " + std::to_string(launch) + " (" + readable_name(calls[launch]) + ", " +
                            sizes_text(calls[launch]) + ") failed when replayed: " + error.what(),
                        error.remedy(), static_cast<LaunchIndex>(launch), error.lost);
    }
  }
}

}  // namespace

MemoryState::MemoryState(const PageKernels& kernels, Snapshot snapshot, const std::vector<Call>& calls,
                         const MemoryDigest& end, CUstream stream)
    : kernels_(kernels), snapshot_(std::move(snapshot)) {
  snapshot_.restore(stream);
  const std::vector<uint64_t> begin = hashes_now(snapshot_, stream);
  replay_one_by_one(calls, stream);
  const MemoryDigest once(snapshot_, stream);
  // Values that carry over from one iteration to the next may change further pages.
  for (int further = 0; further < 2; ++further) replay_one_by_one(calls, stream);
  const std::vector<uint64_t> thrice = hashes_now(snapshot_, stream);
  for (unsigned page = 0; page < snapshot_.pages(); ++page)
    if (once.hashes[page] != begin[page] || thrice[page] != begin[page])
      restoring_copies_.add(snapshot_.address_of(page), snapshot_.copy_of(page), snapshot_.bytes_of(page));
  restoring_words_ = upload(restoring_copies_.words());
  snapshot_.restore(stream);
  verification_ = Differences(kernels, *this, calls, once, end, stream).verification();
}

void MemoryState::issue_restore(CUstream stream) const {
  kernels_.copy(restoring_words_.address(), static_cast<unsigned>(restoring_copies_.to.size()), stream);
}

}  // namespace kjoule::cuda
