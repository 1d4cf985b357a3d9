#pragma once
#include <vector>

#include "layers/network_result.hpp"
#include "page/comparison_page.hpp"

namespace kjoule {

/// Returns the page of measured networks: one network, or several of other batches, types or
/// names. `iterations` has the kernels of a single network; it is empty if they were not measured in context.
Page network_page(const std::vector<NetworkResult>& networks, const std::vector<PageIteration>& iterations);

}  // namespace kjoule
