#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace kjoule {

/// Microseconds as a trace writes them, a decimal number perhaps in quotes, as nanoseconds, rounded to the
/// nearest: exact also beyond the 2^53 up to which a double counts. Nothing for what is no finite number or
/// does not fit.
std::optional<int64_t> ns_from_us(std::string_view decimal);

}  // namespace kjoule
