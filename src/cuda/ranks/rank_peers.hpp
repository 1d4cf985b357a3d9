#pragma once
#include <functional>
#include <optional>

#include "cuda/driver/buffer.hpp"
#include "cuda/driver/module.hpp"
#include "cuda/ranks/peer_links.hpp"
#include "cuda/ranks/peers.hpp"
#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// The ranks that record the iteration which the RankBoard has announced. Their GPUs wait for each other
/// through flags in host memory that all of them map.
class RankPeers final : public Peers {
 public:
  /// The name of the kernel in which a GPU waits for the others.
  static constexpr const char* kMeetingName = "kjoule_meet_ranks";

  /// `rank` is this rank's number on the board. Needs a current context. Throws Error if the other ranks do
  /// not reach the announced iteration within some seconds.
  RankPeers(RankBoard& board, uint32_t rank);
  void meet_in(CUstream stream) override;
  void prepare_links() override;
  void use_links_in(CUstream stream) override { links_->use_in(stream); }
  void compare_clocks_in(CUstream stream, CUdeviceptr results) override;
  unsigned members() const override { return members_; }
  unsigned position() const override { return position_; }
  bool any(bool mine) override;
  void advance() override { board_.advance(rank_); }
  bool part(bool failed) override;
  void drain() override;
  bool exist() const override { return true; }

 private:
  /// Waits until all ranks have voted, and returns the answer. Throws DeviceError if a rank has failed.
  bool await_votes(const std::function<void()>& while_waiting) const;
  /// Host memory that the GPU can access until the destructor runs, also if a constructor that uses it
  /// throws.
  class Registration {
   public:
    Registration(void* memory, size_t bytes);
    ~Registration() { cuMemHostUnregister(memory_); }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    void* memory_;
  };

  RankBoard& board_;
  uint32_t rank_;
  unsigned position_, members_;
  uint32_t parted_ = 0;  ///< number of calls of part()
  Module module_;
  CUfunction meet_, compare_;
  Buffer counts_;  ///< two words: how often this rank has met the others, and the pings that it has seen
  std::optional<Registration> registration_;  ///< of the board's signals
  CUdeviceptr signals_ = 0;
  std::optional<PeerLinks> links_;
};

}  // namespace kjoule::cuda
