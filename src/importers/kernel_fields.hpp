#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// A key of a kernel's row that is read, or that kjoule or a profiler writes for others.
bool is_kernel_field(std::string_view key);
/// The key that is read which `key` may have been meant to be; empty where none is so near.
std::string kernel_field_near(std::string_view key);

}  // namespace kjoule
