#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "device/runner.hpp"

namespace kjoule {

/// Answers a request that only kjoule-torch can answer; returns nothing for a request to a Device. `runner`
/// is null in other processes. Throws Error there, and for a request with a field that is missing or wrong.
std::optional<nlohmann::json> answer_as_runner(const nlohmann::json& request, Runner* runner);

}  // namespace kjoule
