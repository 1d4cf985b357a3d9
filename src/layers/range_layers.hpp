#pragma once
#include <string>

#include "compare/result.hpp"
#include "layers/network_result.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the layers of a program that marks them with NVTX ranges: the outermost ranges within
/// `iteration_range`, or the outermost of all if that is "".
///
/// Ranges of one name that launch the same kernels are one layer with a count. If they launch different
/// kernels, they are separate layers ("conv", "conv (2)"). Launches outside any range form the layer "outside
/// of ranges". Throws Error when there are no ranges.
NetworkResult layers_of_ranges(const std::string& program, const std::string& iteration_range,
                               const Recording& recording, const Comparison& comparison);

}  // namespace kjoule
