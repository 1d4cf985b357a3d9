#include "base/json/parse_json.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kjoule {

std::string too_deep() {
  return fmt::format("arrays and objects are nested too deeply (nesting limit: {} levels)", kNestingLimit);
}

std::optional<size_t> find_too_deep(std::string_view json) {
  int depth = 0;
  for (size_t at = 0; at < json.size(); ++at) {
    switch (json[at]) {
      case '"':  // to the end of the string
        for (++at; at < json.size() && json[at] != '"'; ++at)
          if (json[at] == '\\') ++at;
        break;
      case '[':
      case '{':
        if (++depth > kNestingLimit) return at;
        break;
      case ']':
      case '}':
        --depth;
        break;
      default:
        break;
    }
  }
  return {};
}

nlohmann::json parse_json(std::string_view text, const std::string& place) {
  if (find_too_deep(text)) throw Error(place + ": " + too_deep(), kSimplerValues);
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace kjoule
