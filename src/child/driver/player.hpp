#pragma once
#include <cuda.h>

#include <deque>
#include <vector>

#include "play/device.hpp"
#include "state.hpp"

namespace kjoule::driver {

/// A Sequence as CUDA graphs: launches in place, put-backs as page copies, the edges of segments as event
/// records.
class Player final : public Track {
 public:
  Player(const std::vector<Call>& calls, const State& state, const PageKernels& kernels,
         const Sequence& sequence, CUstream stream);
  ~Player() override;
  void enqueue(int repeats) override { asked_.push_back(repeats); }
  Played wait() override;

 private:
  void capture(const std::vector<Call>& calls, const State& state, const PageKernels& kernels,
               const Sequence& sequence);
  void play_once(std::vector<double>& seconds);

  CUstream stream_;
  CUgraphExec graph_ = nullptr;
  Buffer addresses_;            ///< of all page copies
  std::vector<CUevent> begin_;  ///< by segment
  std::vector<CUevent> end_;
  std::deque<int> asked_;
};

}  // namespace kjoule::driver
