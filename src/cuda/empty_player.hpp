#pragma once
#include "cuda/stamped_track.hpp"

namespace kjoule::driver {

/// EmptyKernels: a chain of kernels that do nothing. There is nothing to restore.
class EmptyPlayer final : public StampedTrack {
 public:
  EmptyPlayer(const Stage& stage, const EmptyKernels& work);
};

}  // namespace kjoule::driver
