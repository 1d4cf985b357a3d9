#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kjoule {

/// Returns the nanoseconds of a time that is counted from the start of a log: a number, also with its unit
/// ("5.2 ms"), or "HH:MM:SS.fff". The unit of numbers without one is that of the column's name: ms, us, ns,
/// min, and otherwise s ("elapsed_ms", "t [ms]"). Returns no value for other texts.
std::optional<int64_t> read_elapsed_time(std::string_view text, std::string_view title);

}  // namespace kjoule
