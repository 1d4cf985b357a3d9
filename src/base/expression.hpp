#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace kjoule {

/// Sizes of a network by name: batch, tokens, width.
using Sizes = std::map<std::string, int64_t>;

/// A whole number, or a formula of them and of names: "batch*tokens", "4*width", "width/heads", "(kv+1)*2".
/// Throws Error for a name that is not there, a division that leaves a rest, a result below 0 or beyond 2^53,
/// and what is no formula.
int64_t evaluate(const std::string& formula, const Sizes& sizes);

}  // namespace kjoule
