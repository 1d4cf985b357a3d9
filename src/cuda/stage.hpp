#pragma once
#include <vector>

#include "cuda/clocks.hpp"
#include "cuda/gate.hpp"
#include "cuda/stamps.hpp"
#include "cuda/state.hpp"
#include "cuda/write_sets.hpp"

namespace kjoule::driver {

/// The recorded iteration and all that is needed to play it; outlives the Tracks.
struct Stage {
  const std::vector<Call>& calls;
  const State* state;           ///< null where nothing that is played restores memory
  const WriteSets* write_sets;  ///< null where no launch is marked
  const PageKernels& pages;
  const ClockKernel& clocks;
  const StampKernels& stamps;
  Gate& gate;
  CUstream capturing;  ///< nothing runs in it
  CUstream playing;    ///< the program's busiest one: all that is played runs in it
};

}  // namespace kjoule::driver
