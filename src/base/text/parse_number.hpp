#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kjoule {

/// Returns the number that the whole text represents; no value if the text is not a finite number.
std::optional<double> parse_number(std::string_view text);

/// Returns the integer that the whole text represents in decimal digits, with '-' if it is negative; no value
/// for any other text, and for an integer that does not fit.
std::optional<int64_t> parse_whole_number(std::string_view text);
/// The same for an integer from 0 to 2^64 - 1.
std::optional<uint64_t> parse_unsigned_number(std::string_view text);

}  // namespace kjoule
