#pragma once
#include <string>

#include "compare/result.hpp"
#include "layers/measured_network.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// A program's layers as its own NVTX ranges mark them: the outermost within `iteration_range` ("": outermost
/// of all). Ranges of one name that launch the same kernels are one layer and counted; where they do not,
/// they are layers of their own, "conv", "conv (2)". What no range holds is a layer "outside of ranges".
/// Throws Error when there are no ranges.
NetworkResult layers_of_ranges(const std::string& program, const std::string& iteration_range,
                               const Recording& recording, const Comparison& comparison);

}  // namespace kjoule
