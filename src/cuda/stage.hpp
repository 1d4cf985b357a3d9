#pragma once
#include <vector>

#include "cuda/clocks.hpp"
#include "cuda/gate.hpp"
#include "cuda/stamps.hpp"
#include "cuda/state.hpp"
#include "cuda/write_sets.hpp"

namespace kjoule::driver {

/// The recorded iteration and everything that is needed to replay it. It outlives the Tracks.
struct Stage {
  const std::vector<Call>& calls;
  const State* state;           ///< null if the track restores no memory
  const WriteSets* write_sets;  ///< null if no launch is marked
  const PageKernels& pages;
  const ClockKernel& clocks;
  const StampKernels& stamps;
  Gate& gate;
  CUstream capturing;  ///< used to capture graphs only; no work runs in it
  CUstream playing;    ///< the program's busiest stream, in which all replay runs
};

}  // namespace kjoule::driver
