#pragma once
#include <functional>
#include <vector>

#include "cuda/driver/buffer.hpp"
#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// Sends a few bytes to the GPUs of all other ranks, so that the links between the GPUs do not go to sleep.
/// Sleeping links consume less: 30 W on each of two H200s that are connected by NVLink
/// (tests/gpu/link_power). A rank whose memory this GPU cannot reach is left out.
class PeerLinks {
 public:
  /// Makes memory into which other ranks send, and opens that of the other ranks. `rank` is this rank's
  /// number on the board; `meet` waits until all ranks have called it. Needs a current context.
  PeerLinks(RankBoard& board, uint32_t rank, const std::function<void()>& meet);
  ~PeerLinks();
  PeerLinks(const PeerLinks&) = delete;
  PeerLinks& operator=(const PeerLinks&) = delete;
  /// Issues the copies into a stream, which may be capturing a graph.
  void use_in(CUstream stream) const;

 private:
  /// Opens the memory of another rank, if this GPU can reach it.
  void open(const RankMemory& memory);

  Buffer own_;
  std::vector<CUdeviceptr> targets_;  ///< memory of other ranks
  std::vector<CUdeviceptr> opened_;   ///< those of other processes
};

}  // namespace kjoule::cuda
