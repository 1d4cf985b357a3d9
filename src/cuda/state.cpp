#include "cuda/state.hpp"

#include "cuda/check.hpp"
#include "cuda/differences.hpp"

namespace kjoule::driver {

namespace {

/// Plays the iteration and waits after each launch, so that a fault has a name.
void play_one_by_one(const std::vector<Call>& calls, CUstream stream) {
  for (size_t launch = 0; launch < calls.size(); ++launch) {
    try {
      issue(calls[launch], stream);
      KJOULE_CU(cuStreamSynchronize(stream));
    } catch (const DeviceError& error) {
      throw DeviceError("launch " + std::to_string(launch) + " (" + readable_name(calls[launch]) + ", " +
                            shape_of(calls[launch]) + ") failed when replayed: " + error.what(),
                        error.remedy(), static_cast<LaunchIndex>(launch), error.lost);
    }
  }
}

}  // namespace

State::State(const PageKernels& kernels, Snapshot snapshot, const std::vector<Call>& calls,
             const MemoryMarks& end, CUstream stream)
    : snapshot_(std::move(snapshot)) {
  snapshot_.restore(stream);
  const std::vector<uint64_t> begin = hashes_now(snapshot_, stream);
  play_one_by_one(calls, stream);
  const MemoryMarks once(snapshot_, stream);
  // what goes on from one iteration to the next may reach further pages
  for (int further = 0; further < 2; ++further) play_one_by_one(calls, stream);
  const std::vector<uint64_t> thrice = hashes_now(snapshot_, stream);
  for (unsigned page = 0; page < snapshot_.pages(); ++page)
    if (once.hashes[page] != begin[page] || thrice[page] != begin[page]) changed_.push_back(page);
  snapshot_.restore(stream);
  verification_ = Differences(kernels, *this, calls, once, end, stream).verification();
}

PageCopies State::restore() const {
  PageCopies copies;
  for (const unsigned page : changed_)
    copies.add(snapshot_.address_of(page), snapshot_.copy_of(page), snapshot_.bytes_of(page));
  return copies;
}

}  // namespace kjoule::driver
