#pragma once
// The folder ranks enables the processes of a program on several GPUs to record and replay the same iteration
// together. Peers is the interface through which memory and replay use the other processes: a point where the
// GPUs wait for each other (meet_in()), and questions on which the processes agree (any()). RankPeers
// implements it with the RankBoard, memory that kjoule and all ranks map; NoPeers is for a program with one
// process. CudaDevice creates them. Read first: Peers, RankPeers. docs/design/ranks.md explains the method.

#include <cuda.h>

#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

/// The other ranks that record and replay the same iteration. All ranks must make the same calls in the same
/// order.
class Peers {
 public:
  virtual ~Peers() = default;
  /// Issues a wait into the stream, which may be capturing a graph. Work after the wait begins when the
  /// streams of all ranks have reached it, nearly at the same time on all GPUs.
  virtual void meet_in(CUstream stream) = 0;
  /// Prepares use_links_in().
  virtual void prepare_links() = 0;
  /// Issues work into the stream that uses the links to the GPUs of the other ranks, so that the links do not
  /// go to sleep. prepare_links() must have been called.
  virtual void use_links_in(CUstream stream) = 0;
  /// Issues a comparison of the device clocks of all ranks into the stream. On the rank at position 0, it
  /// writes a DeviceClockOffset of each other rank to the memory at `results`, which has members() of them.
  virtual void compare_clocks_in(CUstream stream, CUdeviceptr results) = 0;
  /// Returns the number of ranks, and the position of this rank among them, from 0.
  virtual unsigned members() const = 0;
  virtual unsigned position() const = 0;
  /// Waits until all ranks have called any(), and returns whether at least one rank passed true for `mine`.
  /// Throws DeviceError with `lost` set if a rank has failed.
  virtual bool any(bool mine) = 0;
  /// Reports that this rank has replayed at least one launch. If the reports stop, kjoule detects a hang.
  virtual void advance() = 0;
  /// Waits until all ranks have made this call.
  void meet() { any(false); }
  /// Waits until all ranks have called part() as often as this one, on their return to the program, and
  /// returns whether one has failed to restore its memory. Unlike any(), it also works after a rank has
  /// failed and replayed nothing further. Throws Error if a rank does not come.
  virtual bool part(bool failed) = 0;
  /// Waits until the GPUs of all ranks have completed all work that the program launched. Throws Error if the
  /// work on this rank's GPU does not end, because it waits for a rank that is paused at another place.
  virtual void drain() = 0;
  /// Returns whether there are other ranks.
  virtual bool exist() const = 0;
};

/// The implementation of Peers for a program that is measured in one process.
class NoPeers final : public Peers {
 public:
  void meet_in(CUstream) override {}
  void prepare_links() override {}
  void use_links_in(CUstream) override {}
  void compare_clocks_in(CUstream, CUdeviceptr) override {}
  unsigned members() const override { return 1; }
  unsigned position() const override { return 0; }
  bool any(bool mine) override { return mine; }
  void advance() override {}
  bool part(bool failed) override { return failed; }
  void drain() override { KJOULE_CU(cuCtxSynchronize()); }
  bool exist() const override { return false; }
};

}  // namespace kjoule::cuda
