#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/changes/difference.hpp"

namespace kjoule {

/// Returns the difference as kjoule diff --json prints it (docs/reference/schemas/difference.schema.json).
nlohmann::ordered_json difference_json(const Difference& difference, const ChangeLimits& limits);

/// Returns one CSV line for the whole of each iteration, each kernel and each layer.
std::string difference_csv(const Difference& difference);

}  // namespace kjoule
