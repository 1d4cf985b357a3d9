#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "device/runner.hpp"

namespace kjoule {

/// Answers a request to a Runner; returns nothing for a request to a Device. `runner` is null in processes
/// other than kjoule-torch. Throws Error for a request to a Runner if `runner` is null, or if a field is
/// missing or invalid.
std::optional<nlohmann::json> answer_runner_request(const nlohmann::json& request, Runner* runner);

}  // namespace kjoule
