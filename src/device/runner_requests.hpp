#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "device/runner.hpp"

namespace kjoule {

/// Answers a request to a Runner; returns nothing for a request to a Device. `runner` is null in processes
/// other than kjoule-torch, where a request to a Runner throws Error. Throws Error for a request with a
/// missing or invalid field, too.
std::optional<nlohmann::json> answer_runner_request(const nlohmann::json& request, Runner* runner);

}  // namespace kjoule
