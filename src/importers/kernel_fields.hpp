#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Returns whether this key of a kernel's row is known: kjoule reads it, or ignores it without a warning
/// because kjoule or a profiler writes it for other uses.
bool is_kernel_field(std::string_view key);
/// Returns the readable key that `key` is probably a misspelling of, or an empty text if none is similar.
std::string find_similar_kernel_field(std::string_view key);

}  // namespace kjoule
