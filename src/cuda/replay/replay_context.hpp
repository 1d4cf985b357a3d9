#pragma once
#include <vector>

#include "cuda/memory/cache_flush.hpp"
#include "cuda/memory/memory_state.hpp"
#include "cuda/memory/write_sets.hpp"
#include "cuda/ranks/peers.hpp"
#include "cuda/replay/clocks.hpp"
#include "cuda/replay/gate.hpp"
#include "cuda/replay/stamps.hpp"

namespace kjoule::cuda {

/// The recorded iteration and everything that is needed to replay it. It outlives the Tracks.
struct ReplayContext {
  const std::vector<Call>& calls;
  bool is_closed;               ///< whether the calls are an iteration, which may be replayed repeatedly
  MemoryState* memory;          ///< null if the track restores no memory
  const WriteSets* write_sets;  ///< null if no launch is marked
  const CacheFlush* flush;      ///< null if no caches are flushed
  const PageKernels& pages;
  const ClockKernel& clocks;
  const StampKernels& stamps;
  Gate& gate;
  Peers& peers;
  CUstream capture_stream;  ///< used to capture graphs only; no work runs in it
  CUstream replay_stream;   ///< the program's busiest stream, in which all replay runs
};

}  // namespace kjoule::cuda
