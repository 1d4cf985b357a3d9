#include "recording/tier_text.hpp"

namespace kjoule {

std::string tier_text(Tier tier) {
  return tier == Tier::unknown ? "unknown" : std::to_string(static_cast<int>(tier));
}

nlohmann::json tier_json(Tier tier) {
  if (tier == Tier::unknown) return "unknown";
  return static_cast<int>(tier);
}

std::optional<Tier> tier_from(std::string_view text) {
  if (text == "unknown") return Tier::unknown;
  const bool named = text.starts_with("tier");
  if (named) text = text.substr(4, text.find('_') - 4);
  if (text.size() != 1 || text[0] < (named ? '1' : '0') || text[0] > '3') return {};
  return static_cast<Tier>(text[0] - '0');
}

}  // namespace kjoule
