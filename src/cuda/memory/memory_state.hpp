#pragma once
// The folder memory restores the program's memory between replays. PagedMemory divides the program's
// allocations into pages of 4 KiB; Snapshot has their hashes at the beginning of the iteration, and images
// (PageImages) of the pages that replays may change. MemoryState knows which pages have a net change, and
// restores them. CudaDevice makes the snapshot and the state; its tracks restore through the state.
// WriteSets and CacheFlush serve energy only. Read first: Snapshot, then MemoryState; docs/design/state.md
// explains the whole.

#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/memory/snapshot.hpp"
#include "cuda/ranks/peers.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// The memory at the beginning of the iteration, and the pages that have a net change after whole iterations,
/// or after the lead or the measured launches of a window that is no iteration. Pages that a launch changes
/// and a later launch of the iteration changes back have no net change.
///
/// Whole iterations in a row are followed by the copies of the pages with a net change, within the same graph
/// if their images are on the device. Otherwise they are restored after a few iterations, between graphs.
/// After other work, all pages that have images are restored, and hashes show whether other pages changed.
class MemoryState {
 public:
  /// `end` describes the memory after the program's own run of the launches. If they are an iteration (they
  /// have no `edges`), it may be replayed some times in a row; a window that is no iteration is replayed from
  /// the snapshot only, because its first launches may read what its last ones overwrite. Its lead may be
  /// replayed alone, and its tail may be omitted. The memory is restored to the snapshot afterwards. Throws
  /// DeviceError, with the name of the launch, when a launch faults.
  ///
  /// `peers` replay in step: memory is restored and read while no GPU works, because each may write the
  /// memory of another. The peers must outlive this object.
  MemoryState(const PageKernels& kernels, Peers& peers, Snapshot snapshot, const std::vector<Call>& calls,
              WindowEdges edges, const MemoryDigest& end, CUstream stream);
  const Snapshot& snapshot() const { return snapshot_; }
  /// Returns whether issue_restore() restores memory. Otherwise restore_after() does.
  bool restores_within_graphs() const { return !restores_between_graphs_; }
  /// Issues the copies that restore memory after whole iterations, into a stream that may be capturing a
  /// graph. All tracks share one list of copies on the device.
  void issue_restore(CUstream stream) const;
  /// Restores memory after whole iterations at once, without capturing.
  void restore_net_changed(CUstream stream) const;
  /// Restores the whole snapshot.
  void restore_snapshot(CUstream stream) const;
  /// Returns the hashes of all memory.
  std::vector<uint64_t> hashes(CUstream stream) const;
  Peers& peers() const { return peers_; }
  /// Records that so many whole iterations were issued, and restores memory when they have become too many.
  void restore_after(size_t iterations, CUstream stream);
  /// Restores memory after launches that left the iteration's order.
  void restore_all(CUstream stream);
  /// Records that memory was changed by work that does not restore it: settle() does.
  void take_note_of_changes() { is_changed_ = true; }
  /// Makes sure that launches in any order can be restored: saves what launches write and later launches of
  /// the iteration change back.
  void save_written(const std::vector<Call>& calls, CUstream stream);
  /// Restores memory if it was changed, and if not all pages have images, compares the hashes of the others
  /// after work that may have changed them. Those that have changed are saved as they are now.
  void settle(CUstream stream);

  const PageSet& net_changed() const { return net_changed_; }
  const PageCopies& restoring_copies() const { return restoring_copies_; }
  /// Returns the comparison of the replayed launches' outputs with the program's own.
  const Verification& verification() const { return verification_; }

 private:
  /// Replays the launches once and returns the hashes of the memory after them. Adds the pages that are
  /// changed then, after the lead, or before the tail to those with a net change.
  std::vector<uint64_t> replay_once(const std::vector<Call>& calls, WindowEdges edges, CUstream stream);
  void adopt_changed(const std::vector<uint64_t>& now, CUstream stream);
  void prepare_restoring(CUstream stream);

  const PageKernels& kernels_;
  Peers& peers_;
  size_t most_unrestored_;  ///< whole iterations in a row that may be replayed before memory is restored
  Snapshot snapshot_;
  PageSet net_changed_;
  /// Whether not all pages with a net change have images on the device, here or at a peer.
  bool restores_between_graphs_ = false;
  Buffer own_images_;            ///< on the device, of pages whose other images are elsewhere
  PageCopies restoring_copies_;  ///< copies of the pages with a net change
  Buffer restoring_words_;       ///< restoring_copies_.words() on the device
  size_t iterations_since_ = 0;  ///< whole iterations since memory was restored between graphs
  bool knows_written_ = false;
  bool is_changed_ = false;
  bool has_replayed_ = false;
  bool is_unproved_ = false;  ///< whether other pages may have changed since their hashes were compared
  bool has_told_ = false;     ///< that other pages have changed
  Verification verification_;
};

}  // namespace kjoule::cuda
