#include "base/json/parse_json.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// Returns the position of the quote that ends the string at `begin`, or a position behind the text.
size_t string_end(std::string_view json, size_t begin) {
  size_t at = begin + 1;
  for (; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return at;
}

}  // namespace

std::string too_deep() {
  return fmt::format("arrays and objects are nested too deeply (nesting limit: {} levels)", kNestingLimit);
}

std::optional<JsonExcess> find_excess(std::string_view json) {
  int depth = 0;
  size_t values = 1;
  for (size_t at = 0; at < json.size(); ++at) {
    switch (json[at]) {
      case '"':
        at = string_end(json, at);
        break;
      case '[':
      case '{':
        if (++depth > kNestingLimit) return JsonExcess{at, too_deep()};
        [[fallthrough]];
      case ',':
        if (++values > kValueLimit)
          return JsonExcess{at, fmt::format("there are too many values (value limit: {})", kValueLimit)};
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

std::string without_control_blanks(std::string_view json) {
  std::string text(json);
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] == '"')
      at = string_end(text, at);
    else if (text[at] == '\n' || text[at] == '\r' || text[at] == '\t')
      text[at] = ' ';
  return text;
}

nlohmann::json parse_json(std::string_view text, const std::string& place) {
  if (const auto excess = find_excess(text)) throw Error(place + ": " + excess->cause, kSimplerValues);
  if (text.find('\0') != std::string_view::npos)  // the parser takes this byte for the end of the text
    return nlohmann::json(nlohmann::json::value_t::discarded);
  constexpr size_t kShort = size_t{1} << 20;
  if (text.size() <= kShort) return nlohmann::json::parse(text, nullptr, false);
  return nlohmann::json::parse(without_control_blanks(text), nullptr, false);
}

}  // namespace kjoule
