#include "cuda/memory/memory_state.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cuda/driver/check.hpp"
#include "cuda/memory/differences.hpp"
#include "cuda/memory/image_room.hpp"

namespace kjoule::cuda {

namespace {

/// Number of iterations in a row after which memory is restored at the latest. Training on one batch that was
/// not restored reached infinities after 11 iterations or more.
constexpr size_t kMostUnrestored = 8;
/// Largest number of bytes that are hashed to find what each replayed launch writes. A GPU that reads 2 TB/s
/// needs about 2 s for them.
constexpr uint64_t kMostHashedBytes = uint64_t{4} << 40;

/// Replays a launch and waits for it, so that an error names the launch that faulted.
void replay_one(const std::vector<Call>& calls, size_t launch, Peers& peers, CUstream stream) {
  try {
    issue(calls[launch], stream);
    KJOULE_CU(cuStreamSynchronize(stream));
    peers.advance();
  } catch (const DeviceError& error) {
    throw DeviceError("launch " + std::to_string(launch) + " (" + readable_name(calls[launch]) + ", " +
                          sizes_text(calls[launch]) + ") failed when replayed: " + error.what(),
                      error.remedy(), static_cast<LaunchIndex>(launch), error.lost);
  }
}

void replay_one_by_one(const std::vector<Call>& calls, Peers& peers, CUstream stream) {
  for (size_t launch = 0; launch < calls.size(); ++launch) replay_one(calls, launch, peers, stream);
}

}  // namespace

MemoryState::MemoryState(const PageKernels& kernels, Peers& peers, Snapshot& snapshot,
                         const std::vector<Call>& calls, WindowEdges edges, const MemoryDigest& end,
                         CUstream stream)
    : kernels_(kernels),
      peers_(peers),
      most_unrestored_(edges.is_closed() ? kMostUnrestored : 1),
      snapshot_(snapshot) {
  restore_snapshot(stream);
  const std::vector<uint64_t> begin = hashes(stream);
  adopt_changed(begin, stream);
  snapshot_.retake_hashes(begin);
  const std::vector<uint64_t> once = replay_once(calls, edges, stream);
  std::vector<uint64_t> last = once;
  if (edges.is_closed()) {
    // Further iterations may change further pages, because values carry over from one iteration to the next.
    for (int further = 0; further < 2; ++further) replay_one_by_one(calls, peers_, stream);
    last = hashes(stream);
    net_changed_ = unite(net_changed_, snapshot_.changed(last));
  }
  restore_snapshot(stream);
  adopt_changed(last, stream);
  prepare_restoring(stream);
  verification_ = Differences(kernels, *this, calls, once, end, stream).verification();
  verification_.changes_inputs = last != once && restores_within_graphs();
}

std::vector<uint64_t> MemoryState::replay_once(const std::vector<Call>& calls, WindowEdges edges,
                                               CUstream stream) {
  std::vector<uint64_t> now;
  for (size_t launch = 0; launch < calls.size();) {
    replay_one(calls, launch++, peers_, stream);
    if (launch != edges.lead && launch + edges.tail != calls.size() && launch != calls.size()) continue;
    now = hashes(stream);
    net_changed_ = unite(net_changed_, snapshot_.changed(now));
  }
  return now;
}

/// Saves the current contents of pages without an image whose hashes in `now` differ from the snapshot:
/// replays have changed these pages, and their original contents are lost. All other pages were restored.
void MemoryState::adopt_changed(const std::vector<uint64_t>& now, CUstream stream) {
  const PageSet lost = subtract(snapshot_.changed(now), snapshot_.images().pages());
  if (lost.empty()) return;
  snapshot_.adopt(lost, now, stream);
  if (std::exchange(has_told_, true)) return;
  std::fprintf(stderr,
               "kjoule: a replay changed %u pages of memory that the program's own iterations had not "
               "changed; these pages are not restored, and later replays use their new contents\n",
               lost.size());
}

/// Lists the copies that restore the pages with a net change. If the device has space for images of all these
/// pages, pages whose images are elsewhere get an image on the device, too. The memory must be equal to the
/// snapshot.
void MemoryState::prepare_restoring(CUstream stream) {
  const PageImages& images = snapshot_.images();
  const std::vector<PagePiece> others =
      pieces_of(snapshot_.memory(), subtract(net_changed_, images.pages_on_device()));
  restores_between_graphs_ = peers_.any(bytes_of(others) > ImageRoom().device);
  if (restores_between_graphs_) return;
  own_images_ = Buffer(bytes_of(others));
  PageCopies own;
  for (const PagePiece& piece : images.on_device(net_changed_))
    restoring_copies_.add(piece.address, piece.image, piece.bytes);
  for (const PagePiece& piece : others) {
    const CUdeviceptr image = own_images_.address() + piece.image;
    own.add(image, piece.address, piece.bytes);
    restoring_copies_.add(piece.address, image, piece.bytes);
  }
  kernels_.copy_and_wait(own, stream);
  restoring_words_ = upload(restoring_copies_.words());
}

void MemoryState::issue_restore(CUstream stream) const {
  if (!restores_within_graphs()) return;
  peers_.meet_in(stream);
  kernels_.copy(restoring_words_.address(), static_cast<unsigned>(restoring_copies_.to.size()), stream);
  peers_.meet_in(stream);
}

void MemoryState::restore_net_changed(CUstream stream) const {
  if (restores_within_graphs()) return issue_restore(stream);
  peers_.meet_in(stream);
  snapshot_.images().restore(net_changed_, stream);
  peers_.meet_in(stream);
}

void MemoryState::restore_snapshot(CUstream stream) const {
  peers_.meet_in(stream);
  snapshot_.restore(stream);
  peers_.meet_in(stream);
}

std::vector<uint64_t> MemoryState::hashes(CUstream stream) const {
  peers_.meet_in(stream);
  std::vector<uint64_t> now = snapshot_.memory().hashes(stream);
  peers_.meet_in(stream);
  return now;
}

void MemoryState::restore_after(size_t iterations, CUstream stream) {
  if (!std::exchange(has_replayed_, true)) is_unproved_ = true;
  if (restores_within_graphs()) return;
  iterations_since_ += iterations;
  if (iterations_since_ < most_unrestored_) return;
  restore_net_changed(stream);
  iterations_since_ = 0;
}

void MemoryState::restore_all(CUstream stream) {
  restore_snapshot(stream);
  iterations_since_ = 0;
  is_changed_ = false;
  is_unproved_ = true;
}

void MemoryState::save_written(const std::vector<Call>& calls, CUstream stream) {
  if (knows_written_ || !peers_.any(!snapshot_.unsaved().empty())) return;
  restore_snapshot(stream);
  const PagedMemory& memory = snapshot_.memory();
  const uint64_t bytes = memory.bytes_of(PageSet::range(0, memory.pages()));
  const uint64_t most = std::max<uint64_t>(1, kMostHashedBytes / std::max<uint64_t>(1, bytes));
  const size_t step = (calls.size() + most - 1) / most;
  PageSet written;
  std::vector<uint64_t> now;
  for (size_t launch = 0; launch < calls.size(); ++launch) {
    replay_one(calls, launch, peers_, stream);
    if ((launch + 1) % step != 0 && launch + 1 < calls.size()) continue;
    now = memory.hashes(stream);
    written = unite(written, subtract(snapshot_.changed(now), snapshot_.images().pages()));
  }
  adopt_changed(now, stream);
  // All other pages have their contents of the beginning again.
  snapshot_.adopt(written, snapshot_.hashes(), stream);
  restore_all(stream);
  knows_written_ = true;
}

void MemoryState::settle(CUstream stream) {
  if (is_changed_) restore_all(stream);
  if (!is_unproved_) return;
  is_unproved_ = false;
  if (!peers_.any(!snapshot_.unsaved().empty())) return;
  adopt_changed(hashes(stream), stream);
}

}  // namespace kjoule::cuda
