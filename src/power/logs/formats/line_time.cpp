#include "power/logs/formats/line_time.hpp"

#include <algorithm>

namespace kjoule {

namespace {

constexpr std::string_view kDigits = "0123456789";

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Returns whether a text is a time of day, "HH:MM:SS" with or without a fraction or a zone.
bool is_time_of_day(std::string_view text) {
  return text.size() >= 8 && text[2] == ':' && text[5] == ':' && all_digits(text.substr(0, 2)) &&
         all_digits(text.substr(3, 2)) && all_digits(text.substr(6, 2));
}

/// Returns whether a text is a Unix time in s, ms, us or ns.
bool is_unix_time(std::string_view text) {
  const std::string_view whole = text.substr(0, text.find('.'));
  const std::string_view fraction = text.substr(std::min(text.size(), whole.size() + 1));
  return whole.size() >= 10 && whole.size() <= 19 && all_digits(whole) &&
         (fraction.empty() || all_digits(fraction));
}

/// Removes the first word of a line, up to a blank, and returns it without brackets.
std::string_view take_word(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t["), line.size());
  const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = trimmed(line.substr(begin, end - begin), "[],");
  line.remove_prefix(end);
  return word;
}

}  // namespace

void split_words(std::string_view line, Cells& words) {
  words.clear();
  constexpr std::string_view kBetween = " \t\r,";
  for (size_t begin = 0; (begin = line.find_first_not_of(kBetween, begin)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
}

bool join_date(std::string_view date, std::string_view time_of_day, std::string& time) {
  if (!is_time_of_day(time_of_day)) return false;
  std::string_view year, month, day;
  if (date.size() == 8 && all_digits(date)) {
    year = date.substr(0, 4), month = date.substr(4, 2), day = date.substr(6, 2);
  } else if (date.size() != 10) {
    return false;
  } else if (date[4] == date[7] && (date[4] == '-' || date[4] == '/')) {
    year = date.substr(0, 4), month = date.substr(5, 2), day = date.substr(8, 2);
  } else if (date[2] == date[5] && (date[2] == '-' || date[2] == '/')) {
    year = date.substr(6, 4), month = date.substr(0, 2), day = date.substr(3, 2);
    if (month > "12") std::swap(month, day);
  }
  if (!all_digits(year) || !all_digits(month) || !all_digits(day)) return false;
  time.assign(year).append("-").append(month).append("-").append(day).append(" ").append(time_of_day);
  return true;
}

bool take_time(std::string_view& line, std::string& time) {
  std::string_view rest = line;
  const std::string_view first = take_word(rest);
  if (is_unix_time(first)) {
    time = first;
  } else if (first.size() > 11 && first[10] == 'T' && is_time_of_day(first.substr(11))) {
    if (!join_date(first.substr(0, 10), first.substr(11), time)) return false;
  } else if (!join_date(first, take_word(rest), time)) {
    return false;
  }
  line = rest;
  return true;
}

}  // namespace kjoule
