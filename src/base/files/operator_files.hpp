#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace kjoule {

/// The fields of OPERATOR.yml, which describes an operator for `kjoule sample`, and for the commands that
/// learn from its samples.
inline const std::vector<std::string> kOperatorFields = {
    "module_name", "kernel_name", "function_name", "columns_name", "targets",       "first_n_column",
    "starts",      "steps",       "ends",          "operators",    "warmup_shapes", "wait",
    "warmup",      "active",      "shapes",        "run",          "operator",      "arguments",
    "features",    "step_shape",  "parameters"};

/// Sample limit: the most samples in a table, and in tables that are merged. A sample takes up to 500 bytes
/// in memory.
constexpr size_t kSampleLimit = 1'000'000;

}  // namespace kjoule
