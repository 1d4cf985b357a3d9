#pragma once
#include <cuda.h>

#include <vector>

namespace kjoule::cuda {

/// Returns whether the value of an attribute differs from its default. The driver returns all attributes of a
/// graph node or a stream, also those that were never set.
bool is_set(const CUlaunchAttribute& attribute);

/// Returns the attributes of a stream that apply to the kernels in it, for example a window of persisting L2
/// cache. The priority of a stream is not among them: it only matters for work in other streams.
std::vector<CUlaunchAttribute> attributes_of_stream(CUstream stream);

/// Adds those of `others` that are not among `attributes`. The attributes of a launch replace those of its
/// stream.
void add_missing(std::vector<CUlaunchAttribute>& attributes, const std::vector<CUlaunchAttribute>& others);

}  // namespace kjoule::cuda
