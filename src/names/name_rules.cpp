#include "names/name_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/files/for_each_line.hpp"
#include "short_names_text.hpp"

namespace kjoule {

namespace {

/// Limit of nested groups. A rule may refer to its own group, because functors contain functors.
constexpr int kMostNested = 16;
/// Limit in bytes; longer names are shortened without rules. The longest real name has 1,337 bytes.
constexpr size_t kLongestRuled = 4096;

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/// Returns a text as the built-in group "lower" shortens it: "gelu_backward" for "GeluBackward".
std::string in_lower_case(const std::string& text) {
  std::string lower;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = is_upper(text[i]) && i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z';
    if (begins) lower += '_';
    lower += is_upper(text[i]) ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
  }
  return lower;
}

std::string with_single_blanks(const std::string& text) {
  std::string single;
  for (const char c : text)
    if (c != ' ' || (!single.empty() && single.back() != ' ')) single += c;
  if (single.ends_with(' ')) single.pop_back();
  return single;
}

bool holds(const std::vector<NamePattern>& functions, const std::string& qualified) {
  return functions.empty() ||
         std::any_of(functions.begin(), functions.end(),
                     [&](const NamePattern& pattern) { return pattern.matches(qualified); });
}

/// Throws Error if a rule refers to a group without rules, for example because its name is misspelt.
void refuse_unknown_groups(const std::vector<NameRule>& rules, const std::string& source) {
  std::set<std::string> known = {"", "lower"};
  for (const NameRule& rule : rules) known.insert(rule.group);
  for (const NameRule& rule : rules)
    for (const NameTemplate::Piece& piece : rule.short_name.pieces())
      if (!known.contains(piece.group))
        throw Error(fmt::format("{}: a rule refers to the group \"{}\", to which no rule belongs", source,
                                piece.group),
                    "correct the name of the group, or add a rule with \"of\": \"GROUP\"");
}

}  // namespace

NameRules::NameRules(std::string_view text, const std::string& source) {
  for_each_line(text, [&](size_t number, std::string_view line) {
    rules_.push_back(read_name_rule(line, fmt::format("{}:{}", source, number)));
  });
  refuse_unknown_groups(rules_, source);
}

const NameRules& NameRules::bundled() {
  static const NameRules rules(kShortNames, "data/short_names.jsonl");
  return rules;
}

std::string NameRules::shorten(const PlainName& name) const {
  if (name.text.size() > kLongestRuled) return name.function;
  const std::string text = with_single_blanks(shorten_part("kernel", name.text, name, 0));
  return text.empty() || text == name.text ? name.function : text;
}

std::string NameRules::shorten_part(const std::string& group, const std::string& part, const PlainName& name,
                                    int depth) const {
  if (group == "lower") return in_lower_case(part);
  if (depth > kMostNested) return part;
  for (const NameRule& rule : rules_) {
    if (rule.group != group || !holds(rule.functions, name.qualified)) continue;
    for (const CapturePattern& pattern : rule.patterns)
      if (auto captures = pattern.match(part)) {
        captures->try_emplace("all", part);
        return fill(rule.short_name, *captures, name, depth + 1);
      }
  }
  return part;
}

std::string NameRules::fill(const NameTemplate& text, const Captures& captures, const PlainName& name,
                            int depth) const {
  std::string filled;
  for (const NameTemplate::Piece& piece : text.pieces()) {
    filled += piece.literal;
    const auto captured = captures.find(piece.capture);
    if (captured == captures.end()) continue;
    filled +=
        piece.group.empty() ? captured->second : shorten_part(piece.group, captured->second, name, depth);
  }
  return filled;
}

}  // namespace kjoule
