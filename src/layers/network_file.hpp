#pragma once
#include <string>

#include "base/text/expression.hpp"
#include "layers/layer.hpp"

namespace kjoule {

/// Returns the sizes that a network's file defines, with their values.
Sizes read_network_sizes(const std::string& yaml, const std::string& file);

/// Reads a network from YAML (docs/reference/formats.md). `sizes` replaces sizes of the file. Throws Error
/// "FILE:LINE: ...", with the layer and the field that is wrong.
Network read_network(const std::string& yaml, const std::string& file, const Sizes& sizes,
                     const std::string& dtype);

}  // namespace kjoule
