#pragma once
#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/json/parse_json.hpp"
#include "base/text/nearest_names.hpp"

namespace kjoule {

/// Expansion limit: the largest number of values in a YAML file, with each alias (*name) counted as the
/// values that it stands for.
constexpr size_t kExpansionLimit = 1'000'000;

/// YAML limit: the most bytes of a YAML text. Its parser takes up to 300 times as much memory.
constexpr size_t kYamlLimit = size_t{2} << 20;

/// A key of a YAML map that is not allowed, with cause and remedy.
struct BadKey {
  YAML::Node key;
  std::string cause, remedy{};
};

/// Returns the first key that occurs twice; no value if there is none.
inline std::optional<BadKey> find_repeated_key(const YAML::Node& map) {
  std::set<std::string> seen;
  for (const auto& field : map)
    if (!seen.insert(field.first.Scalar()).second)
      return BadKey{field.first, field.first.Scalar() + " is given twice", "delete one of them"};
  return {};
}

/// Returns the first key that is not in `known`; otherwise the first key that occurs twice, if there is one.
inline std::optional<BadKey> find_bad_key(const YAML::Node& map, const std::vector<std::string>& known) {
  for (const auto& field : map)
    if (const std::string& name = field.first.Scalar();
        std::find(known.begin(), known.end(), name) == known.end())
      return BadKey{field.first, name + ": this field is not known",
                    fmt::format("did you mean {}?", nearest_names(name, known))};
  return find_repeated_key(map);
}

/// Throws errors about the contents of a YAML file.
class YamlFile {
 public:
  explicit YamlFile(std::string file) : file_(std::move(file)) {}
  /// Throws Error "FILE:LINE: cause"; lines are counted from 1.
  [[noreturn]] void fail(const YAML::Node& node, const std::string& cause,
                         const std::string& remedy = {}) const {
    throw Error(fmt::format("{}:{}: {}", file_, node.Mark().line + 1, cause), remedy);
  }
  void check(const std::optional<BadKey>& bad) const {
    if (bad) fail(bad->key, bad->cause, bad->remedy);
  }

 private:
  std::string file_;
};

/// Counts the values of a YAML file, and checks their number and depth. A value that contains an alias of
/// itself is endless, and therefore too deep.
class YamlLimits {
 public:
  explicit YamlLimits(const std::string& file) : file_(file) {}

  void check(const YAML::Node& node, int depth = 0) {
    if (++values_ > kExpansionLimit)
      file_.fail(node,
                 fmt::format("the file has too many values with all aliases expanded (expansion limit: {})",
                             kExpansionLimit),
                 "use fewer aliases (*name), or divide the file");
    if (!node.IsMap() && !node.IsSequence()) return;
    if (depth == kNestingLimit)
      file_.fail(node, too_deep(), "use simpler values, and no value that contains an alias of itself");
    for (const auto& one : node) {
      if (node.IsMap()) check(one.first, depth + 1);
      check(node.IsMap() ? one.second : one, depth + 1);
    }
  }

 private:
  YamlFile file_;
  size_t values_ = 0;
};

/// Returns the line, from 1, at which a second document of a YAML text has its first contents; no value if
/// there is none. Markers of documents ("---", "...") are at the beginning of a line, whatever precedes them.
/// This is not left to YAML::LoadAll(), which does not end for some texts that are not YAML.
inline std::optional<size_t> find_second_document(std::string_view text) {
  size_t line = 0;
  bool has_contents = false, has_ended = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view rest = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    const bool is_marker = (rest.starts_with("---") || rest.starts_with("...")) &&
                           (rest.size() == 3 || rest[3] == ' ' || rest[3] == '\t' || rest[3] == '\r');
    if (is_marker) {
      has_ended = has_ended || has_contents;
      rest.remove_prefix(3);
    }
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r"), rest.size()));
    if (rest.empty() || rest.starts_with('#') || rest.starts_with('%')) continue;
    if (has_ended) return line;
    has_contents = true;
  }
  return {};
}

/// Parses the text of a YAML file. Throws Error with line and column if it is not YAML, Error with the line
/// if its values exceed the nesting limit or the expansion limit, or if a second document follows ("---"),
/// and Error if it exceeds the YAML limit.
inline YAML::Node load_yaml(const std::string& text, const std::string& file) {
  if (text.size() > kYamlLimit)
    throw Error(fmt::format("{}: the text has more than {} (YAML limit)", file, limit_text(kYamlLimit)),
                "check that this is the right file, or divide it");
  try {
    YAML::Node root = YAML::Load(text);  // of the first document
    YamlLimits(file).check(root);
    if (const auto line = find_second_document(text))
      throw Error(fmt::format("{}:{}: a second document of the file begins here", file, *line),
                  "write each document to a file of its own");
    return root;
  } catch (const YAML::DeepRecursion& error) {
    throw Error(fmt::format("{}:{}: {}", file, error.mark.line + 1, too_deep()), kSimplerValues);
  } catch (const YAML::Exception& error) {
    throw Error(fmt::format("{}:{}: the text is not YAML from column {} on", file, error.mark.line + 1,
                            error.mark.column + 1),
                "check brackets, quotes, colons and indentation there and in the lines before");
  }
}

}  // namespace kjoule
