#include "names/distinction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace kjoule {

namespace {

constexpr size_t kLongestUnit = 20;

using Units = std::vector<std::string>;

Units words_of(const std::string& text) {
  Units words;
  std::string word;
  for (const char c : text) {
    if (c != '_') {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// Returns the words of the function's name and its template arguments. An argument that is one identifier,
/// as in cutlass::Kernel2<cutlass_80_...>, is divided into its words.
Units words_and_arguments(const PlainName& name) {
  Units units = words_of(name.function);
  for (const std::string& argument : name.arguments) {
    if (argument.find_first_of("<({ ") != std::string::npos || argument.find('_') == std::string::npos) {
      units.push_back(argument);
      continue;
    }
    for (std::string& word : words_of(argument)) units.push_back(std::move(word));
  }
  return units;
}

Units spaces_of(const PlainName& name) {
  return {name.spaces};
}

Units parameters_of(const PlainName& name) {
  return name.parameters;
}

/// Removes the units that all lists contain, so that lists of different lengths can be compared.
void keep_rare(std::vector<Units>& lists) {
  std::map<std::string, size_t> holders;
  for (const Units& units : lists)
    for (const std::string& unit : std::set<std::string>(units.begin(), units.end())) ++holders[unit];
  for (Units& units : lists)
    std::erase_if(units, [&](const std::string& unit) { return holders[unit] == lists.size(); });
}

bool have_equal_lengths(const std::vector<Units>& lists) {
  return std::all_of(lists.begin(), lists.end(),
                     [&](const Units& units) { return units.size() == lists.front().size(); });
}

size_t count_different(const std::vector<Units>& lists) {
  return std::set<Units>(lists.begin(), lists.end()).size();
}

/// Returns, for lists of the same length, the units at those places that distinguish the lists. A place is
/// used only if it distinguishes more lists than the places before it.
std::vector<Units> at_telling_places(const std::vector<Units>& lists) {
  std::vector<Units> chosen(lists.size());
  for (size_t place = 0; place < lists.front().size(); ++place) {
    std::vector<Units> longer = chosen;
    for (size_t i = 0; i < lists.size(); ++i) longer[i].push_back(lists[i][place]);
    if (count_different(longer) > count_different(chosen)) chosen = std::move(longer);
  }
  return chosen;
}

std::vector<Units> telling_units(std::vector<Units> lists) {
  if (have_equal_lengths(lists)) return at_telling_places(lists);
  keep_rare(lists);
  return lists;
}

/// Returns the suffixes made of these units; an empty list if one is too long, or two are equal.
std::vector<std::string> suffixes_of(const std::vector<Units>& lists, size_t longest) {
  std::vector<std::string> suffixes;
  for (const Units& units : lists) {
    if (std::any_of(units.begin(), units.end(), [](const auto& unit) { return unit.size() > kLongestUnit; }))
      return {};
    const std::string joined = fmt::format("{}", fmt::join(units, ", "));
    suffixes.push_back(joined.empty() ? "" : " [" + joined + "]");
    if (suffixes.back().size() > longest) return {};
  }
  const bool differ = std::set<std::string>(suffixes.begin(), suffixes.end()).size() == suffixes.size();
  return differ ? suffixes : std::vector<std::string>{};
}

}  // namespace

std::vector<std::string> distinctions(const std::vector<PlainName>& names, size_t longest) {
  if (names.size() < 2) return std::vector<std::string>(names.size());
  for (const auto& units_of : {words_and_arguments, spaces_of, parameters_of}) {
    std::vector<Units> lists;
    for (const PlainName& name : names) lists.push_back(units_of(name));
    auto suffixes = suffixes_of(telling_units(std::move(lists)), longest);
    if (!suffixes.empty()) return suffixes;
  }
  std::vector<std::string> numbers;
  for (size_t i = 1; i <= names.size(); ++i) numbers.push_back(fmt::format(" #{}", i));
  return numbers;
}

}  // namespace kjoule
