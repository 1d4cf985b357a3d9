#include "names/name_rule.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json/parse_json.hpp"

namespace kjoule {

namespace {

constexpr const char* kHowToWriteNameRules = "docs/reference/formats.md describes the rules for short names";

std::vector<std::string> texts_under(const nlohmann::json& rule, const std::string& key) {
  const auto value = rule.find(key);
  if (value == rule.end()) return {};
  if (value->is_string()) return {value->get<std::string>()};
  return value->get<std::vector<std::string>>();
}

void check_keys(const nlohmann::json& rule) {
  for (const auto& [key, value] : rule.items())
    if (key != "note" && key != "of" && key != "function" && key != "match" && key != "short")
      throw Error("\"" + key + "\" is not a known key of a rule");
  if (!rule.contains("short")) throw Error("the rule has no \"short\"");
  if (!rule.contains("match") && !rule.contains("function"))
    throw Error("the rule has neither \"match\" nor \"function\"");
}

NameRule rule_of(const nlohmann::json& json) {
  check_keys(json);
  NameRule rule{json.value("of", "kernel"), {}, {}, NameTemplate(json.at("short").get<std::string>())};
  for (const std::string& text : texts_under(json, "function")) rule.functions.emplace_back(text);
  for (const std::string& text : texts_under(json, "match")) rule.patterns.emplace_back(text);
  if (rule.patterns.empty()) rule.patterns.emplace_back("*");
  return rule;
}

}  // namespace

NameTemplate::NameTemplate(std::string_view text) {
  for (size_t begin = text.find("${"); begin != std::string_view::npos; begin = text.find("${")) {
    const size_t end = text.find('}', begin);
    if (end == std::string_view::npos) throw Error("\"short\" contains ${ without a closing }");
    const std::string_view place = text.substr(begin + 2, end - begin - 2);
    const size_t colon = place.find(':');
    pieces_.push_back({std::string(text.substr(0, begin)), std::string(place.substr(0, colon)),
                       colon == std::string_view::npos ? "" : std::string(place.substr(colon + 1))});
    text.remove_prefix(end + 1);
  }
  pieces_.push_back({std::string(text), "", ""});
}

NameRule read_name_rule(std::string_view line, const std::string& where) {
  try {
    const auto json = parse_json(line, "the rule");
    if (!json.is_object()) throw Error("the rule is not a JSON object whose values are texts");
    return rule_of(json);
  } catch (const nlohmann::json::exception&) {
    throw Error(where + ": the rule is not a JSON object whose values are texts", kHowToWriteNameRules);
  } catch (const Error& cause) {
    throw Error(where + ": " + cause.what(), kHowToWriteNameRules);
  }
}

}  // namespace kjoule
