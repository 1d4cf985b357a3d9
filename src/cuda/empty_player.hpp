#pragma once
#include "cuda/stamped_track.hpp"

namespace kjoule::driver {

/// The track for EmptyKernels: a chain of kernels that do nothing. It changes no memory and restores none.
class EmptyPlayer final : public StampedTrack {
 public:
  EmptyPlayer(const Stage& stage, const EmptyKernels& work);
};

}  // namespace kjoule::driver
