#include "power/logs/power_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

constexpr const char* kUnitRemedy =
    "state the unit with --unit (W, mW, kW or uW), or write the powers in one of these units, and this unit "
    "into the column's name: \"power [W]\"";

/// Returns the prefix of a unit of power, "m" of "mW" and "milli" of "milliwatts", or no value for other
/// texts.
std::optional<std::string_view> prefix_of_watt(std::string_view unit) {
  const std::string low = lower(unit);
  for (const std::string_view name : {"watts", "watt", "w"})
    if (low.ends_with(name)) return unit.substr(0, unit.size() - name.size());
  return {};
}

bool is_foreign_prefix(std::string_view prefix) {
  constexpr std::array<std::string_view, 5> kSymbols{"n", "p", "M", "G", "T"};
  constexpr std::array<std::string_view, 5> kWords{"nano", "pico", "mega", "giga", "tera"};
  return std::find(kSymbols.begin(), kSymbols.end(), prefix) != kSymbols.end() ||
         std::find(kWords.begin(), kWords.end(), lower(prefix)) != kWords.end();
}

/// Returns whether "W" in another case follows a prefix: "dw" may be a tenth of a watt.
bool is_doubtful_prefix(std::string_view prefix) {
  return prefix == "d" || prefix == "c" || prefix == "D" || prefix == "C";
}

/// Calls `take` with each word of a text: the parts between blanks and punctuation marks.
template <class Take>
void each_word(std::string_view text, Take take) {
  constexpr std::string_view kBetween = " \t\r\n,;:()[]{}\"'=#!?|";
  for (size_t begin = 0; (begin = text.find_first_not_of(kBetween, begin)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kBetween, begin), text.size());
    take(text.substr(begin, end - begin));
    begin = end;
  }
}

/// Returns the number of watts in the unit of a text in brackets, such as "W", "0.1 W" or "mW, mean", or no
/// value if the unit is not understood.
std::optional<double> watts_per_described(std::string_view text) {
  if (const auto pure = watts_per_step(text)) return pure;
  if (text.find_first_of("0123456789*/") != std::string_view::npos) return {};
  std::optional<double> scale;
  size_t units = 0;
  each_word(text, [&](std::string_view word) {
    if (const auto one = watts_per(word)) {
      scale = one;
      ++units;
    }
  });
  return units == 1 ? scale : std::nullopt;
}

/// Returns whether a text has a word that is a unit of power. A small "w" is rather an abbreviation.
bool mentions_watts(std::string_view text) {
  bool found = false;
  each_word(text, [&](std::string_view word) {
    const auto prefix = prefix_of_watt(word);
    found = found || (prefix && word != "w" && (watts_per(word) || is_foreign_prefix(*prefix)));
    const size_t slash = word.find('/');
    found = found || (slash != std::string_view::npos && watts_per(word.substr(0, slash)) && word[0] != 'w');
  });
  return found;
}

/// Collects the units that a column's name states.
class StatedUnits {
 public:
  explicit StatedUnits(std::string_view name) : name_(name) {}

  void add(std::string_view unit) {
    const auto scale = watts_per_described(unit);
    if (!scale)
      throw Error(fmt::format("column {}: its unit {} is not known", quoted_begin(name_), quoted_begin(unit)),
                  kUnitRemedy);
    if (scale_ && *scale_ != *scale)
      throw Error(fmt::format("column {}: its name states two units", quoted_begin(name_)), kUnitRemedy);
    scale_ = scale;
  }
  /// Counts powers in steps of `number` units: 0.1 for "power 0.1 W".
  void multiply(double number) { scale_ = scale_.value_or(1) * number; }
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
    if (name[at] == '[' || is_unit(inside) || watts_per_step(inside) || mentions_watts(inside))
      units.add(inside);
    else
      rest += name.substr(at, end - at + 1);
    at = end;
  }
  return rest;
}

/// Removes a number with a decimal point, as in "power 0.1 W", from the end of a name without its unit.
/// Whole numbers are rather names: "PSU 1 W".
void scale_by_number(std::string_view& rest, StatedUnits& units) {
  const size_t before = rest.find_last_of(" _/");
  const std::string_view last = before == std::string_view::npos ? rest : rest.substr(before + 1);
  const auto number = last.find('.') == std::string_view::npos ? std::nullopt : parse_number(last);
  if (!number || *number <= 0) return;
  units.multiply(*number);
  rest = before == std::string_view::npos ? std::string_view() : trimmed(rest.substr(0, before));
}

}  // namespace

std::optional<double> watts_per(std::string_view unit) {
  const auto prefix = prefix_of_watt(unit);
  if (!prefix) return {};
  if (prefix->empty()) return 1;
  if (*prefix == "m" || lower(*prefix) == "milli") return 1e-3;
  constexpr std::array<std::string_view, 4> kMicro{"u", "\xC2\xB5", "\xCE\xBC", "micro"};
  if (std::find(kMicro.begin(), kMicro.end(), lower(*prefix)) != kMicro.end()) return 1e-6;
  if (lower(*prefix) == "k" || lower(*prefix) == "kilo") return 1e3;
  const bool is_symbol = unit.ends_with('W');
  if ((is_symbol && *prefix == "d") || lower(*prefix) == "deci") return 1e-1;
  if ((is_symbol && *prefix == "c") || lower(*prefix) == "centi") return 1e-2;
  if ((is_symbol && *prefix == "h") || lower(*prefix) == "hecto") return 1e2;
  return {};
}

std::optional<double> watts_per_step(std::string_view text) {
  text = trimmed(text, " \t[]()\"");
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = watts_per(trimmed(text.substr(digits)));
  if (digits == 0 || !unit) return unit;
  const auto number = parse_number(text.substr(0, digits));
  if (!number || *number <= 0) return {};
  return *number * *unit;
}

double stated_unit(const std::string& unit) {
  const auto scale = watts_per_step(unit);
  if (!scale)
    throw UsageError(fmt::format("--unit {}: not a unit of power that kjoule knows", quoted_begin(unit)),
                     "give W, mW, kW or uW, for example --unit mW");
  return *scale;
}

bool is_unit(std::string_view text) {
  constexpr std::array<std::string_view, 21> kOthers{"va",  "kva", "var", "kvar", "a",  "ma",  "v",
                                                     "mv",  "kv",  "j",   "kj",   "mj", "uj",  "wh",
                                                     "mwh", "kwh", "dbm", "c",    "%",  "mhz", "hz"};
  if (watts_per(text)) return true;
  const auto prefix = prefix_of_watt(text);
  if (prefix && (is_foreign_prefix(*prefix) || is_doubtful_prefix(*prefix))) return true;
  return std::find(kOthers.begin(), kOthers.end(), lower(text)) != kOthers.end();
}

std::string_view other_unit_in(std::string_view text) {
  std::string_view found;
  each_word(text, [&](std::string_view word) {
    const auto prefix = prefix_of_watt(word);
    if (!found.empty() || !prefix || prefix->empty()) return;
    const auto scale = watts_per(word);
    if (scale || is_foreign_prefix(*prefix)) found = word;
  });
  return found;
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
    rest = before == std::string_view::npos ? rest : trimmed(rest.substr(0, before));
    scale_by_number(rest, units);
  }
  quantity = lower(rest);
  scale = units.scale();
}

}  // namespace kjoule
