#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kjoule {

/// Converts microseconds as a trace writes them, a decimal number with or without quotes, to nanoseconds,
/// rounded to the nearest. The conversion is exact beyond 2^53 ns, where a double is not. Returns no value
/// for text that is not a finite number or that does not fit 64 bits.
std::optional<int64_t> ns_from_us(std::string_view decimal);

}  // namespace kjoule
