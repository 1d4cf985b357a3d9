#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Grid or block: x, y, z.
using Extent = std::array<int64_t, 3>;

/// What errors say behind "is not three ".
inline const std::string kExtentIs = "whole numbers from 1 to 2147483647";

/// "[1, 2, 3]", "1x2x3" or "1,2,3", each number from 1 to 2^31-1, as CUDA launches them; nothing for any
/// other text.
std::optional<Extent> extent_from(std::string_view text);
/// "1x2x3"
std::string extent_text(const Extent& extent);

}  // namespace kjoule
