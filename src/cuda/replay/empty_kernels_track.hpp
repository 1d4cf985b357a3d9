#pragma once
#include "cuda/replay/gated_track.hpp"

namespace kjoule::cuda {

/// The track for EmptyKernels: a chain of kernels that do nothing. It changes no memory and restores none.
class EmptyKernelsTrack final : public GatedTrack {
 public:
  EmptyKernelsTrack(const ReplayContext& context, const EmptyKernels& work);
};

}  // namespace kjoule::cuda
