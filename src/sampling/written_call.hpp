#pragma once
#include <string>

#include "base/expression.hpp"
#include "sampling/configuration.hpp"

namespace YAML {
class Node;
}

namespace kjoule {

/// The operator and arguments of one's own operator: {tensor: [b*l, dim], dtype: Long} for a tensor, numbers,
/// flags, text, lists of them, ~ for none. Throws Error "FILE:LINE: .." for what is none of these.
WrittenCall written_call(const std::string& name, const YAML::Node& arguments, const std::string& file);

/// The call with its formulas worked out; tensors without a dtype have `dtype` ("Half") and are contiguous.
/// Throws Error naming the formula that has no value.
OperatorCall call_with_sizes(const WrittenCall& written, const Sizes& sizes, const std::string& dtype);

}  // namespace kjoule
