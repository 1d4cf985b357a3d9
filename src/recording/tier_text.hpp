#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace kjoule {

/// A tier as tables have it: "1", "2", "3" or "unknown"; in JSON a number or that word.
std::string tier_text(Tier tier);
nlohmann::json tier_json(Tier tier);
/// The tier that either of these says; so do "tier2" and what begins with "tier2_", and "0" is unknown, too.
/// Nothing for other texts.
std::optional<Tier> tier_from(std::string_view text);

}  // namespace kjoule
