#pragma once
// The folder ranks lets the processes of a program on several GPUs record and replay the same iteration
// together. Peers is what memory and replay see of the other processes: a place where the GPUs meet
// (meet_in()), and questions on which the processes agree (any()). RankPeers implements it with the
// RankBoard, memory that kjoule and all ranks map; NoPeers stands for a program with one process. CudaDevice
// makes them. Read first: Peers, RankPeers; docs/design/ranks.md explains the whole.

#include <cuda.h>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

/// The other ranks that record and replay the same iteration. All ranks must make the same calls in the same
/// order.
class Peers {
 public:
  virtual ~Peers() = default;
  /// Issues a wait into the stream, which may be capturing a graph: what follows begins when the streams of
  /// all ranks have come to this call, nearly at the same time on all GPUs.
  virtual void meet_in(CUstream stream) = 0;
  /// Waits until all ranks have asked, and returns whether `mine` is true for any of them. Throws DeviceError
  /// with `lost` set if a rank has failed.
  virtual bool any(bool mine) = 0;
  /// Takes note that this rank has replayed one launch or more, so that a hang is noticed.
  virtual void advance() = 0;
  /// Waits until all ranks have come to this call.
  void meet() { any(false); }
  /// Waits until the GPUs of all ranks have done all that the program launched. Throws Error if this rank's
  /// does not, because it waits for a peer that is paused at another place.
  virtual void drain() = 0;
  /// Returns whether there are other ranks.
  virtual bool exist() const = 0;
};

/// Takes the place of peers in a program that is measured in one process.
class NoPeers final : public Peers {
 public:
  void meet_in(CUstream) override {}
  bool any(bool mine) override { return mine; }
  void advance() override {}
  void drain() override { KJOULE_CU(cuCtxSynchronize()); }
  bool exist() const override { return false; }
};

}  // namespace kjoule::cuda
