#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kjoule {

/// Converts a time in microseconds, a decimal number with or without quotes, to nanoseconds, rounded to the
/// nearest. Unlike a double, the result is exact beyond 2^53 ns, too. Returns no value if the text is not a
/// finite number, or the result does not fit into 64 bits.
std::optional<int64_t> ns_from_us(std::string_view decimal);

}  // namespace kjoule
