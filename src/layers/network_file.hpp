#pragma once
#include <string>

#include "base/text/expression.hpp"
#include "layers/layer.hpp"

namespace kjoule {

/// Returns the names and values of the sizes that a network's file defines.
Sizes read_network_sizes(const std::string& yaml, const std::string& file);

/// Reads a network from YAML (docs/reference/formats.md). `sizes` replaces sizes in the file. Throws Error
/// "FILE:LINE: ...", which names the layer and the field that is wrong.
Network read_network(const std::string& yaml, const std::string& file, const Sizes& sizes,
                     const std::string& dtype);

}  // namespace kjoule
