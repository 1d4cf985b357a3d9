#pragma once
// The folder memory restores the program's memory between replays. PagedMemory divides the program's
// allocations into pages of 4 KiB. Snapshot contains the hashes of all pages at the beginning of the
// iteration, and images (PageImages) of the pages that replays may change. MemoryState determines which pages
// have a net change, and restores them. CudaDevice creates the Snapshot and the MemoryState; its tracks
// restore memory through the MemoryState. WriteSets and CacheFlush are used for energy only. Read first:
// Snapshot, then MemoryState. docs/design/state.md explains the method.

#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/memory/snapshot.hpp"
#include "cuda/ranks/peers.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// The memory at the beginning of the iteration, and the pages with a net change. A page has a net change if
/// its contents after a complete iteration differ from those at the beginning; in a window that is not an
/// iteration, also if they differ after the lead or after the measured launches. A page that one launch
/// changes and a later launch of the iteration changes back has no net change.
///
/// After complete iterations in the recorded order, only the pages with a net change are restored. If all
/// their images are on the device, the graph of the iterations ends with copies that restore these pages.
/// Otherwise these pages are restored between graphs, after a few iterations. After any other work, all pages
/// that have images are restored, and hashes show whether pages without images changed.
class MemoryState {
 public:
  /// `end` describes the memory after the program's own run of the launches. An iteration (`edges` are 0) may
  /// be replayed a few times in a row before memory is restored. A window that is not an iteration is
  /// replayed from the snapshot only, because its first launches may read data that its last launches
  /// overwrite; its lead may be replayed alone, and its tail may be omitted. The constructor replays the
  /// launches, and restores the memory to the snapshot. Throws DeviceError, with the name of the launch, if a
  /// launch faults.
  ///
  /// All `peers` replay at the same time. Memory is restored and read only while no peer's GPU works, because
  /// a GPU may write the memory of another GPU. `peers` and `snapshot` must outlive this object.
  MemoryState(const PageKernels& kernels, Peers& peers, Snapshot& snapshot, const std::vector<Call>& calls,
              WindowEdges edges, const MemoryDigest& end, CUstream stream);
  const Snapshot& snapshot() const { return snapshot_; }
  /// Returns true if issue_restore() restores memory, and false if restore_after() does.
  bool restores_within_graphs() const { return !restores_between_graphs_; }
  /// Issues the copies that restore memory after whole iterations, into a stream that may be capturing a
  /// graph. All tracks share one list of copies on the device.
  void issue_restore(CUstream stream) const;
  /// Restores memory after whole iterations immediately, without capturing.
  void restore_net_changed(CUstream stream) const;
  /// Restores the whole snapshot.
  void restore_snapshot(CUstream stream) const;
  /// Returns the hashes of all memory.
  std::vector<uint64_t> hashes(CUstream stream) const;
  Peers& peers() const { return peers_; }
  /// Registers that complete iterations were issued. Restores memory if more iterations than allowed were
  /// issued since memory was restored last.
  void restore_after(size_t iterations, CUstream stream);
  /// Restores memory after launches that were not in the iteration's order.
  void restore_all(CUstream stream);
  /// Registers that work has changed memory without restoring it, so that the next settle() restores the
  /// memory.
  void take_note_of_changes() { is_changed_ = true; }
  /// Prepares for launches in any order: saves the pages that a launch writes and a later launch of the
  /// iteration changes back.
  void save_written(const std::vector<Call>& calls, CUstream stream);
  /// Restores memory if it was changed (take_note_of_changes()). If work may have changed pages that have no
  /// images, compares the hashes of these pages, and saves the current contents of the changed pages.
  void settle(CUstream stream);

  const PageSet& net_changed() const { return net_changed_; }
  const PageCopies& restoring_copies() const { return restoring_copies_; }
  /// Returns the result of comparing the outputs of replayed launches with the outputs of the program's own
  /// run.
  const Verification& verification() const { return verification_; }

 private:
  /// Replays the launches once and returns the hashes of the memory afterwards. Adds the pages that differ at
  /// the end, after the lead, or before the tail to the pages with a net change.
  std::vector<uint64_t> replay_once(const std::vector<Call>& calls, WindowEdges edges, CUstream stream);
  void adopt_changed(const std::vector<uint64_t>& now, CUstream stream);
  void prepare_restoring(CUstream stream);

  const PageKernels& kernels_;
  Peers& peers_;
  size_t most_unrestored_;  ///< whole iterations in a row that may be replayed before memory is restored
  Snapshot& snapshot_;      ///< images of further pages are added
  PageSet net_changed_;
  /// Whether any page with a net change, of this rank or of a peer, has no image on the device.
  bool restores_between_graphs_ = false;
  Buffer own_images_;  ///< additional images on the device, of pages whose images are not on the device
  PageCopies restoring_copies_;  ///< copies of the pages with a net change
  Buffer restoring_words_;       ///< restoring_copies_.words() on the device
  size_t iterations_since_ = 0;  ///< whole iterations since memory was restored between graphs
  bool knows_written_ = false;
  bool is_changed_ = false;
  bool has_replayed_ = false;
  bool is_unproved_ = false;  ///< whether pages without images may have changed since the last check
  bool has_told_ = false;     ///< whether the change of a page without an image was reported
  Verification verification_;
};

}  // namespace kjoule::cuda
