#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// The x, y and z sizes of a grid or block.
using Extent = std::array<int64_t, 3>;

/// Ends error messages of the form "... is not three whole numbers from 1 to 2147483647".
inline const std::string kExtentIs = "whole numbers from 1 to 2147483647";

/// Reads three numbers: "[1, 2, 3]", "1x2x3" or "1,2,3". Each number must be from 1 to 2^31 - 1, the range
/// that CUDA can launch. Returns no value for any other text.
std::optional<Extent> extent_from(std::string_view text);
/// Returns text such as "1x2x3".
std::string extent_text(const Extent& extent);

}  // namespace kjoule
