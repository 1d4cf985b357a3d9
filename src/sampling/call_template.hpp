#pragma once
#include <string>

#include "base/text/expression.hpp"
#include "sampling/configuration.hpp"

namespace YAML {
class Node;
}

namespace kjoule {

/// Reads the operator and arguments that a configuration describes: {tensor: [b*l, dim], dtype: Long} is a
/// tensor, ~ is no value, and numbers, flags, texts and lists are used as written. Throws Error
/// "FILE:LINE: .." for anything else.
CallTemplate read_call_template(const std::string& name, const YAML::Node& arguments,
                                const std::string& file);

/// Returns the call in which each formula is replaced by its value for `sizes`. Tensors without a dtype get
/// `dtype` ("Half"), and all tensors are contiguous. Throws Error, which names the formula, if a formula has
/// no value.
OperatorCall evaluate_call(const CallTemplate& written, const Sizes& sizes, const std::string& dtype);

}  // namespace kjoule
