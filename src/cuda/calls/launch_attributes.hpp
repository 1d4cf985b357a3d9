#pragma once
#include <cuda.h>

namespace kjoule::cuda {

/// Returns whether a launch with this attribute differs from one without it. For the attributes of graph
/// nodes and streams, of which the driver reports each one, set or not.
bool is_set(const CUlaunchAttribute& attribute);

}  // namespace kjoule::cuda
