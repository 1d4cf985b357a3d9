#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace kjoule {

/// Sizes of a network by name, for example batch, tokens or width.
using Sizes = std::map<std::string, int64_t>;
/// Sizes by name as floating-point numbers.
using RealSizes = std::map<std::string, double>;

/// Returns the value of a whole number or of a formula of numbers and names: "batch*tokens", "4*width",
/// "width/heads", "(kv+1)*2". Throws Error if the text is not a formula, contains an unknown name or a
/// division with a remainder, or if its value is below 0 or above 2^53.
int64_t evaluate(const std::string& formula, const Sizes& sizes);

/// Returns the value of such a formula in floating-point numbers: divisions may have a remainder, and the
/// value may be below 0, infinite or no number. Throws Error if the text is not a formula or contains an
/// unknown name.
double evaluate_real(const std::string& formula, const RealSizes& sizes);

}  // namespace kjoule
