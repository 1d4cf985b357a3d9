#pragma once
#include <string>

#include "base/text/expression.hpp"
#include "sampling/configuration.hpp"

namespace YAML {
class Node;
}

namespace kjoule {

/// Reads the operator and arguments that a configuration describes: {tensor: [b*l, dim], dtype: Long} is a
/// tensor; numbers, flags, text and lists of them are themselves, and ~ is no value. Throws Error "FILE:LINE:
/// .." for anything else.
CallTemplate read_call_template(const std::string& name, const YAML::Node& arguments,
                                const std::string& file);

/// Returns the call with the values of its formulas. Tensors without a dtype get `dtype` ("Half"), and all
/// are contiguous. Throws Error with the formula that has no value.
OperatorCall evaluate_call(const CallTemplate& written, const Sizes& sizes, const std::string& dtype);

}  // namespace kjoule
