#pragma once
#include <string>

#include "base/expression.hpp"
#include "layers/layer.hpp"

namespace kjoule {

/// Sizes that a network's file names, and the numbers that stand there.
Sizes sizes_in_network(const std::string& yaml, const std::string& file);

/// A network out of YAML (docs/reference/formats.md), with `sizes` instead of those in the file where they
/// are given. Throws Error "FILE:LINE: .." naming the layer and field that is wrong.
Network read_network(const std::string& yaml, const std::string& file, const Sizes& sizes,
                     const std::string& dtype);

}  // namespace kjoule
