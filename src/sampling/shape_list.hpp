#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "device/sweep.hpp"

namespace kjoule {

/// Reads shapes from a CSV file whose first columns are `parameters`, as kjoule train --repeat-list writes
/// it. Further columns are ignored. A shape that occurs several times is returned once. Throws Error with
/// file and line if the columns are others, if a size is not a whole number, or if there is no shape.
std::vector<SampleShape> read_shape_list(std::string_view csv, const std::string& file,
                                         const std::vector<std::string>& parameters);

}  // namespace kjoule
