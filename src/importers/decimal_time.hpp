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

}  // namespace kjoule
