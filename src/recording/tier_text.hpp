#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace kjoule {

/// Returns the tier as text in tables: "1", "2", "3" or "unknown".
std::string tier_text(Tier tier);
/// Returns the tier in JSON: 1, 2, 3 or "unknown".
nlohmann::json tier_json(Tier tier);
/// Reads a tier from "1", "2" or "3", from "0" or "unknown" (Tier::unknown), or from "tier2", "tier2_..." and
/// the same for other tiers. Returns no value for any other text.
std::optional<Tier> tier_from(std::string_view text);

}  // namespace kjoule
