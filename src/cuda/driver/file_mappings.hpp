#pragma once
#include <string>
#include <vector>

#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// Returns the memory of this process into which files are mapped whose paths begin with `prefix`.
std::vector<Allocation> file_mappings(const std::string& prefix);

}  // namespace kjoule::cuda
