#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace kjoule {

/// Sizes of a network by name, for example batch, tokens or width.
using Sizes = std::map<std::string, int64_t>;

/// Returns the value of a whole number or of a formula of numbers and names: "batch*tokens", "4*width",
/// "width/heads", "(kv+1)*2". Throws Error for an unknown name, a division with a remainder, a result below 0
/// or above 2^53, and a text that is no formula.
int64_t evaluate(const std::string& formula, const Sizes& sizes);

}  // namespace kjoule
