#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kjoule {

/// Converts a time in microseconds, a decimal number with or without quotes, to nanoseconds, rounded to the
/// nearest. Unlike a double, the result is exact beyond 2^53 ns, too. Returns no value if the text is not a
/// finite number, or the result does not fit into 64 bits.
std::optional<int64_t> ns_from_us(std::string_view decimal);
/// Like ns_from_us(), for a time in the unit of 10^unit_power microseconds (power_of_unit()).
std::optional<int64_t> ns_from(std::string_view decimal, int unit_power);

/// Returns the power of ten of an exponent such as "e5", "E-3" or "e+03", 0 for an empty text, and no value
/// for other texts.
std::optional<int> power_of_exponent(std::string_view text);
/// Returns half a unit of the last digit of a decimal number, the largest error of its rounding: 0.005 for
/// "1.23", and 5 for "1.23e+03".
double half_of_last_digit(std::string_view decimal);

}  // namespace kjoule
