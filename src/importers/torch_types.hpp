#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns libtorch's name of a type of tensors ("Half") for its name in C++, with or without namespaces
/// ("c10::Half", "cutlass::half_t", "long int"), in kernel rules ("float16"), or in libtorch. Returns nothing
/// for other names.
std::optional<std::string> torch_type_named(std::string_view name);

/// Returns whether a type, by its name in libtorch, is one of those floating-point types in which models
/// compute.
bool is_floating_type(std::string_view torch_type);

}  // namespace kjoule
