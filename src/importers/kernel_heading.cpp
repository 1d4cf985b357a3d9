#include "importers/kernel_heading.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

using Words = std::vector<std::string>;

/// Headings that contain one of these words describe neither a kernel's time nor its number of launches.
constexpr std::string_view kOtherThings[] = {
    "cpu",    "host",   "api",       "queue", "med",     "median", "std",   "stddev", "stdev",
    "dev",    "var",    "variance",  "cv",    "percent", "pct",    "%",     "share",  "ratio",
    "start",  "begin",  "end",       "stamp", "ts",      "since",  "gap",   "wait",   "idle",
    "offset", "stream", "timestamp", "rank",  "vgpr",    "sgpr",   "accum", "bytes"};
constexpr std::string_view kLaunchWords[] = {"calls",      "invocations", "instances", "occurrences",
                                             "occurences", "launches",    "executions"};
constexpr std::string_view kCountWords[] = {"count",     "counts",    "inst",      "call",
                                            "launch",    "ncalls",    "numcalls",  "callcount",
                                            "nlaunches", "execution", "invocation"};
constexpr std::string_view kSingulars[] = {"call", "launch", "execution", "invocation", "inst"};
constexpr std::string_view kCountFillers[] = {"num",    "number", "no",  "nb", "n",     "of",  "the",
                                              "kernel", "kern",   "gpu", "#",  "total", "name"};
/// Headings of one word that may be numbers of launches, or something else.
constexpr std::string_view kMayBeCounts[] = {"freq",    "frequency",   "runs", "reps",
                                             "repeats", "repetitions", "hits", "num"};
constexpr std::string_view kTimeWords[] = {"time", "times",   "duration", "durations",
                                           "dur",  "elapsed", "runtime",  "latency"};
constexpr std::string_view kTimeFillers[] = {"kernel", "kern",      "gpu",  "device", "cuda", "hip",
                                             "exec",   "execution", "self", "the",    "of"};
constexpr std::string_view kPerLaunch[] = {"call", "launch", "instance", "invocation"};  ///< after "per"
constexpr std::pair<std::string_view, HeadingMeaning> kRoleWords[] = {
    {"total", HeadingMeaning::total},      {"sum", HeadingMeaning::total},
    {"cumulative", HeadingMeaning::total}, {"avg", HeadingMeaning::mean},
    {"average", HeadingMeaning::mean},     {"mean", HeadingMeaning::mean},
    {"each", HeadingMeaning::mean},        {"per", HeadingMeaning::mean},
    {"min", HeadingMeaning::least},        {"minimum", HeadingMeaning::least},
    {"shortest", HeadingMeaning::least},   {"max", HeadingMeaning::largest},
    {"maximum", HeadingMeaning::largest},  {"longest", HeadingMeaning::largest}};

template <class List>
bool is_one_of(std::string_view word, const List& words) {
  return std::ranges::find(words, word) != std::end(words);
}

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_word_character(char c) {
  return is_capital(c) || is_small(c) || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the words of a heading in lower case: "TotalDurationNs" and "Total Duration (ns)" both have three.
/// "%" and "#" are words.
Words words_of(std::string_view heading) {
  Words words;
  bool goes_on = false;
  for (size_t i = 0; i < heading.size(); ++i) {
    const char c = heading[i];
    if (!is_word_character(c)) {
      goes_on = false;
      if (c == '%' || c == '#') words.emplace_back(1, c);
      continue;
    }
    const bool is_plural = heading.substr(i + 1) == "s";  // "GPUs" is one word
    const bool next_is_lower = i + 1 < heading.size() && is_small(heading[i + 1]) && !is_plural;
    if (i > 0 && is_capital(c) && (is_small(heading[i - 1]) || (is_capital(heading[i - 1]) && next_is_lower)))
      goes_on = false;
    if (!goes_on) words.emplace_back();
    words.back() += static_cast<char>(is_capital(c) ? c + 32 : c);
    goes_on = true;
  }
  return words;
}

bool is_count_of_launches(const Words& words) {
  const bool has_count = std::ranges::any_of(
      words, [](const auto& word) { return is_one_of(word, kLaunchWords) || is_one_of(word, kCountWords); });
  const bool is_single =
      words.size() == 1 && is_one_of(words[0], kSingulars);  // the number of a launch, or its name
  return has_count && !is_single && std::ranges::all_of(words, [](const auto& word) {
           return is_one_of(word, kLaunchWords) || is_one_of(word, kCountWords) ||
                  is_one_of(word, kCountFillers);
         });
}

/// Returns the role that the words state; `duration` if they state none, and `other` if they state two.
HeadingMeaning role_of(const Words& words) {
  HeadingMeaning role = HeadingMeaning::duration;
  for (const std::string& word : words)
    for (const auto& [name, meaning] : kRoleWords)
      if (word == name) {
        if (role != HeadingMeaning::duration && role != meaning) return HeadingMeaning::other;
        role = meaning;
      }
  return role;
}

bool is_role(const std::string& word) {
  return std::ranges::any_of(kRoleWords, [&](const auto& role) { return role.first == word; });
}

/// Returns whether the words are those of a time followed by "count", as pandas names the number of times.
bool is_count_of_times(const Words& words) {
  const auto is_of_time = [](const auto& word) {
    return is_one_of(word, kTimeWords) || is_one_of(word, kTimeFillers);
  };
  return words.size() > 1 && words.back() == "count" &&
         std::all_of(words.begin(), words.end() - 1, is_of_time);
}

/// Removes the unit of time, which is the last word, or the one before "sum", "mean" or "count" that pandas
/// appends. Returns its power of ten in us; nothing if there is none.
std::optional<int> take_unit(Words& words) {
  const bool has_time =
      std::ranges::any_of(words, [](const auto& word) { return is_one_of(word, kTimeWords); });
  const bool has_role = std::ranges::any_of(words, is_role);
  for (const size_t from_end : {1, 2}) {
    if (words.size() < from_end) return {};
    if (from_end == 2 && !is_role(words.back()) && words.back() != "count") return {};
    const auto unit = words.end() - static_cast<std::ptrdiff_t>(from_end);
    const auto power = power_of_unit(*unit);
    if (!power) continue;
    if (*unit == "s" && !has_time && (from_end == 2 || !has_role)) return {};  // a rate, such as "MB/s"
    words.erase(unit);
    return power;
  }
  return {};
}

/// Interprets a heading that is not a number of launches, without its unit.
KernelHeading time_heading(const Words& words, std::optional<int> power) {
  const bool has_time =
      std::ranges::any_of(words, [](const auto& word) { return is_one_of(word, kTimeWords); });
  const bool has_role = std::ranges::any_of(words, is_role), is_per = is_one_of("per", words);
  if (!has_time && !power && !(has_role && words.size() == 1)) return {};
  const bool is_understood = std::ranges::all_of(words, [&](const auto& word) {
    return is_one_of(word, kTimeWords) || is_one_of(word, kTimeFillers) || is_role(word) ||
           (is_per && is_one_of(word, kPerLaunch));
  });
  const HeadingMeaning role = role_of(words);
  if (!is_understood || role == HeadingMeaning::other) return {HeadingMeaning::other, power, true};
  return {role, power, has_time && !power};
}

KernelHeading read_words(std::string_view heading) {
  Words words = words_of(heading);
  if (words.empty() ||
      std::ranges::any_of(words, [](const auto& word) { return is_one_of(word, kOtherThings); }))
    return {};
  if (is_count_of_launches(words)) return {HeadingMeaning::count, {}, false};
  const bool has_launches =
      std::ranges::any_of(words, [](const auto& word) { return is_one_of(word, kLaunchWords); });
  if (has_launches || (words.size() == 1 && is_one_of(words[0], kMayBeCounts)))
    return {HeadingMeaning::other, {}, true, true};
  const auto power = take_unit(words);
  if (is_count_of_times(words)) return {HeadingMeaning::count, {}, false};
  return time_heading(words, power);
}

}  // namespace

KernelHeading read_kernel_heading(std::string_view heading) {
  constexpr size_t kMostKept = 500;  // headings repeat from row to row
  static thread_local std::map<std::string, KernelHeading, std::less<>> known;
  if (const auto found = known.find(heading); found != known.end()) return found->second;
  const KernelHeading meaning = read_words(heading);
  if (known.size() < kMostKept) known.emplace(heading, meaning);
  return meaning;
}

}  // namespace kjoule
