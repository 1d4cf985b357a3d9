#pragma once
#include <string>

#include "compare/iteration/comparison.hpp"
#include "layers/network_result.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the layers of a program that marks them with NVTX ranges: the outermost ranges within
/// `iteration_range`, or the outermost of all ranges if `iteration_range` is empty.
///
/// Ranges with the same name that launch the same kernels are one layer with a count. Ranges with the same
/// name that launch different kernels are separate layers ("conv", "conv (2)"). Launches outside of these
/// ranges are the layer "outside of ranges". Throws Error if there are no ranges.
NetworkResult layers_of_ranges(const std::string& program, const std::string& iteration_range,
                               const Recording& recording, const Comparison& comparison);

}  // namespace kjoule
