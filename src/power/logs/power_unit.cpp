#include "power/logs/power_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

constexpr const char* kUnitRemedy =
    "write the powers in W, mW or kW, and state this unit in the column's name: \"power [W]\"";

/// Returns the prefix of a unit of power, "m" of "mW" and "milli" of "milliwatts", or no value for other
/// texts.
std::optional<std::string_view> prefix_of_watt(std::string_view unit) {
  const std::string low = lower(unit);
  for (const std::string_view name : {"watts", "watt", "w"})
    if (low.ends_with(name)) return unit.substr(0, unit.size() - name.size());
  return {};
}

bool is_foreign_prefix(std::string_view prefix) {
  constexpr std::array<std::string_view, 8> kSymbols{"u", "\xC2\xB5", "\xCE\xBC", "n", "p", "M", "G", "T"};
  constexpr std::array<std::string_view, 6> kWords{"micro", "nano", "pico", "mega", "giga", "tera"};
  return std::find(kSymbols.begin(), kSymbols.end(), prefix) != kSymbols.end() ||
         std::find(kWords.begin(), kWords.end(), lower(prefix)) != kWords.end();
}

/// Returns whether the text is a unit of power or of something else that loggers measure.
bool is_unit(std::string_view text) {
  constexpr std::array<std::string_view, 21> kOthers{"va",  "kva", "var", "kvar", "a",  "ma",  "v",
                                                     "mv",  "kv",  "j",   "kj",   "mj", "uj",  "wh",
                                                     "mwh", "kwh", "dbm", "c",    "%",  "mhz", "hz"};
  if (watts_per(text)) return true;
  const auto prefix = prefix_of_watt(text);
  if (prefix && is_foreign_prefix(*prefix)) return true;
  return std::find(kOthers.begin(), kOthers.end(), lower(text)) != kOthers.end();
}

/// Collects the units that a column's name states.
class StatedUnits {
 public:
  explicit StatedUnits(std::string_view name) : name_(name) {}

  void add(std::string_view unit) {
    const auto scale = watts_per(unit);
    if (!scale)
      throw Error(fmt::format("column {}: its unit {} is not known", quoted_begin(name_), quoted_begin(unit)),
                  kUnitRemedy);
    if (scale_ && *scale_ != *scale)
      throw Error(fmt::format("column {}: its name states two units", quoted_begin(name_)), kUnitRemedy);
    scale_ = scale;
  }
  std::optional<double> scale() const { return scale_; }

 private:
  std::string_view name_;
  std::optional<double> scale_;
};

/// Returns a name without the units in brackets, which are added to `units`. Square brackets always contain a
/// unit, round ones sometimes.
std::string take_brackets(std::string_view name, StatedUnits& units) {
  std::string rest;
  for (size_t at = 0; at < name.size(); ++at) {
    const size_t end = name[at] == '[' ? name.find(']', at) : name[at] == '(' ? name.find(')', at) : at;
    if (end == at || end == std::string_view::npos) {
      rest += name[at];
      continue;
    }
    const std::string_view inside = trimmed(name.substr(at + 1, end - at - 1));
    if (name[at] == '[' || is_unit(inside))
      units.add(inside);
    else
      rest += name.substr(at, end - at + 1);
    at = end;
  }
  return rest;
}

}  // namespace

std::optional<double> watts_per(std::string_view unit) {
  const auto prefix = prefix_of_watt(unit);
  if (!prefix) return {};
  if (prefix->empty()) return 1;
  if (*prefix == "m" || lower(*prefix) == "milli") return 1e-3;
  if (lower(*prefix) == "k" || lower(*prefix) == "kilo") return 1e3;
  return {};
}

ColumnTitle::ColumnTitle(std::string_view name) {
  StatedUnits units(name);
  const std::string bare = take_brackets(name, units);
  std::string_view rest = trimmed(bare);
  const size_t before = rest.find_last_of(" _/");
  const std::string_view last = before == std::string_view::npos ? rest : rest.substr(before + 1);
  // A single letter at the end is rather the name of a phase than a unit, except for W.
  if (watts_per(last) || (last.size() > 1 && is_unit(last))) {
    units.add(last);
    if (before != std::string_view::npos) rest = trimmed(rest.substr(0, before));
  }
  quantity = lower(rest);
  scale = units.scale();
}

}  // namespace kjoule
