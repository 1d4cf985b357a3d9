#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns libtorch's name of a tensor's data type, such as "Half". `name` is its name in C++ ("c10::Half",
/// "cutlass::half_t", "long int"; the namespace is optional), in kernel rules ("float16") or in libtorch.
/// Returns nothing for other names.
std::optional<std::string> torch_type_named(std::string_view name);

/// Returns whether a type, given by its name in libtorch, is a floating-point type in which models compute.
bool is_floating_type(std::string_view torch_type);

}  // namespace kjoule
