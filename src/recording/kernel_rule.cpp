#include "recording/kernel_rule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/json/parse_json.hpp"
#include "recording/activity.hpp"

namespace kjoule {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kHowToWriteRules = "docs/reference/formats.md describes the format of rules";

[[noreturn]] void refuse(const std::string& where, const std::string& cause,
                         const std::string& remedy = kHowToWriteRules) {
  throw Error(where + ": " + cause, remedy);
}

/// Parses one line and refuses repeated keys. JSON parsers keep only the last value of a repeated key, so a
/// part of such a rule would be lost.
OrderedJson parse(std::string_view line, const std::string& where) {
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int, OrderedJson::parse_event_t event, OrderedJson& parsed) {
    if (event == OrderedJson::parse_event_t::object_start) keys.emplace_back();
    if (event == OrderedJson::parse_event_t::object_end) keys.pop_back();
    if (event == OrderedJson::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      refuse(where, "\"" + parsed.get<std::string>() + "\" is given twice", "remove one of them");
    return true;
  };
  if (const auto excess = find_excess(line)) refuse(where, excess->cause, kSimplerValues);
  OrderedJson rule;
  try {
    rule = OrderedJson::parse(line, look);
  } catch (const nlohmann::json::exception&) {
    refuse(where, "not a complete JSON object",
           "write each rule on one line: {\"function\": .., \"tier\": ..}");
  }
  if (!rule.is_object())
    refuse(where, "the line is not a JSON object", "write each rule as {\"function\": .., \"tier\": ..}");
  return rule;
}

std::string text_of(const OrderedJson& value, const std::string& key, const std::string& where) {
  if (!value.is_string())
    refuse(where, fmt::format("\"{}\" is not a text", key), "write its value in quotes");
  if (value.get_ref<const std::string&>().empty())
    refuse(where, fmt::format("\"{}\" is empty", key), "give it a text, or remove it");
  return value;
}

std::vector<std::string> texts_of(const OrderedJson& rule, const std::string& key, const std::string& where) {
  const auto value = rule.find(key);
  if (value == rule.end()) return {};
  if (!value->is_array()) return {text_of(*value, key, where)};
  if (value->empty())
    refuse(where, fmt::format("\"{}\" is an empty list, which matches nothing", key),
           "remove it or add a pattern");
  std::vector<std::string> texts;
  for (const OrderedJson& one : *value) texts.push_back(text_of(one, key, where));
  return texts;
}

std::vector<NamePattern> patterns_of(const OrderedJson& rule, const std::string& key,
                                     const std::string& where) {
  std::vector<NamePattern> patterns;
  for (const std::string& text : texts_of(rule, key, where)) patterns.emplace_back(text);
  return patterns;
}

NameCondition condition_of(const OrderedJson& rule, const std::string& where) {
  return {patterns_of(rule, "function", where), patterns_of(rule, "name", where),
          patterns_of(rule, "operator", where)};
}

Tier tier_of(const OrderedJson& rule, const std::string& where) {
  const auto tier = rule.find("tier");
  if (tier == rule.end()) refuse(where, "the rule has no \"tier\"", "add \"tier\": 1, 2, 3 or \"unknown\"");
  if (*tier == "unknown") return Tier::unknown;
  if (!tier->is_number_integer() || *tier < 1 || *tier > 3)
    refuse(where, "\"tier\" is " + tier->dump(), "set it to 1, 2, 3 or \"unknown\"");
  return static_cast<Tier>(tier->get<int>());
}

std::string optional_text(const OrderedJson& rule, const std::string& key, const std::string& where,
                          const std::string& otherwise) {
  return rule.contains(key) ? text_of(rule.at(key), key, where) : otherwise;
}

std::string category_of(const OrderedJson& rule, const std::string& where) {
  std::string category = optional_text(rule, "category", where, "unknown");
  const auto& known = kernel_categories();
  if (std::find(known.begin(), known.end(), category) == known.end())
    refuse(where, fmt::format("unknown category \"{}\"", category),
           fmt::format("use one of {}", fmt::join(known, ", ")));
  return category;
}

void refuse_other_keys(const OrderedJson& rule, const std::set<std::string>& known,
                       const std::string& where) {
  for (const auto& [key, value] : rule.items())
    if (!known.contains(key))
      refuse(where, fmt::format("\"{}\" is not a key of a rule", key),
             fmt::format("use only {}", fmt::join(known, ", ")));
}

ClassRule class_rule(const OrderedJson& rule, const std::string& where) {
  refuse_other_keys(rule, {"function", "name", "operator", "tier", "family", "category", "dtype", "note"},
                    where);
  const NameCondition condition = condition_of(rule, where);
  if (condition.functions.empty() && condition.names.empty() && condition.operations.empty())
    refuse(where, "the rule does not name the kernels that it classifies",
           "add \"function\", \"name\" or \"operator\"");
  return {condition,
          {tier_of(rule, where), optional_text(rule, "family", where, ""),
           optional_text(rule, "dtype", where, ""), category_of(rule, where)}};
}

TypeRule type_rule(const OrderedJson& rule, const std::string& where) {
  refuse_other_keys(rule, {"function", "name", "operator", "family", "types", "note"}, where);
  TypeRule read{texts_of(rule, "family", where), condition_of(rule, where), {}};
  if (read.families.empty())
    refuse(where, "the rule has \"types\", but no \"family\" that they apply to", "add \"family\"");
  const OrderedJson& types = rule.at("types");
  if (!types.is_object())
    refuse(where, "\"types\" is not an object", "write it as {\"word in the name\": \"data type\"}");
  if (types.empty()) refuse(where, "\"types\" is empty", "add a pair: \"word in the name\": \"data type\"");
  for (const auto& [word, type] : types.items()) {
    if (word.empty()) refuse(where, "\"types\" contains an empty word", "remove it");
    read.types.emplace_back(word, text_of(type, "types", where));
  }
  return read;
}

bool any_fits(const std::vector<NamePattern>& patterns, const std::string& text) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                         [&](const NamePattern& pattern) { return pattern.matches(text); });
}

/// Returns the operator in a name: "aten::add" for "aten::add_.Tensor". Returns an empty text for functions
/// of C++, which have parameters, and of C.
std::string operation_in(std::string_view name) {
  if (name.find("::") == std::string_view::npos) return {};
  if (name.find_first_of("(<") != std::string_view::npos) return {};
  name = name.substr(0, name.find('.'));
  if (name.ends_with('_')) name.remove_suffix(1);
  return std::string(name);
}

}  // namespace

const std::vector<std::string>& kernel_categories() {
  static const std::vector<std::string> all{
      "gemm",      "convolution", "attention", "normalisation", "softmax", "elementwise", "reduction",
      "scan",      "sort",        "indexing",  "pooling",       "resize",  "loss",        "random",
      "recurrent", "fft",         "sparse",    "solver",        "copy",    "collective",  "unknown"};
  return all;
}

NameParts::NameParts(const std::string& name)
    : readable(readable_name(name)), function(function_in(readable)), operation(operation_in(readable)) {}

bool NameCondition::holds(const NameParts& name) const {
  return any_fits(functions, name.function) && any_fits(names, name.readable) &&
         (operations.empty() || (!name.operation.empty() && any_fits(operations, name.operation)));
}

std::string TypeRule::type_in(const NameParts& name, const std::string& family) const {
  if (std::find(families.begin(), families.end(), family) == families.end() || !condition.holds(name))
    return {};
  size_t first = std::string::npos;
  std::string found;
  for (const auto& [word, type] : types) {
    const size_t place = find_word(name.readable, word);
    if (place >= first) continue;
    first = place;
    found = type;
  }
  return found;
}

std::variant<ClassRule, TypeRule> read_kernel_rule(std::string_view line, const std::string& where) {
  const OrderedJson rule = parse(line, where);
  if (rule.contains("types")) return type_rule(rule, where);
  return class_rule(rule, where);
}

}  // namespace kjoule
