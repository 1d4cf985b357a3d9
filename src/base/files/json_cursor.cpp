#include "base/files/json_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Appends a code point as UTF-8.
void append_utf8(std::string& text, uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Returns the value of the escape \uXXXX at the beginning of `text`, and removes the escape from `text`.
std::optional<uint32_t> take_unit(std::string_view& text) {
  uint32_t unit = 0;
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return {};
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  if (error != std::errc() || end != text.data() + 6) return {};
  text.remove_prefix(6);
  return unit;
}

bool append_unicode(std::string& out, std::string_view& text) {
  const auto high = take_unit(text);
  if (!high) return false;
  if (*high < 0xD800 || *high > 0xDFFF) {
    append_utf8(out, *high);
    return true;
  }
  std::string_view rest = text;
  const auto low = take_unit(rest);
  if (*high < 0xDC00 && low && *low >= 0xDC00 && *low <= 0xDFFF) {
    append_utf8(out, 0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00));
    text = rest;
  } else {
    append_utf8(out, 0xFFFD);
  }
  return true;
}

}  // namespace

JsonCursor::JsonCursor(const PaddedText& text, std::string name, std::string remedy, size_t first_line)
    : begin_(text.view().data()),
      at_(begin_),
      end_(begin_ + text.view().size()),
      name_(std::move(name)),
      remedy_(std::move(remedy)),
      first_line_(first_line) {
  if (text.view().starts_with("\xEF\xBB\xBF")) at_ += 3;
}

std::string JsonCursor::error_text(const char* where, const std::string& cause) const {
  const auto line = first_line_ + static_cast<size_t>(std::count(begin_, std::min(where, end_), '\n'));
  return fmt::format("{}:{}: {}", name_, line, cause);
}

void JsonCursor::fail(const char* where, const std::string& cause) const {
  throw Error(error_text(where, cause), remedy_);
}

void JsonCursor::ends(const std::string& cause) const {
  throw Error(error_text(end_, cause),
              "check that the file was written to its end and copied completely; " + remedy_);
}

void JsonCursor::unexpected(const char* wanted) const {
  if (at_ >= end_) ends(fmt::format("the file ends where {} is expected", wanted));
  const auto code = static_cast<unsigned char>(*at_);
  fail(code >= ' ' && code < 127 ? fmt::format("'{}' where {} is expected", *at_, wanted)
                                 : fmt::format("byte {:#04x} where {} is expected", code, wanted));
}

void JsonCursor::skip_rest_of_string(const char* special) {
  const char* at = special;
  while (*at != '"') {
    if (*at == '\\') {
      at += at[1] == '\0' ? 1 : 2;
    } else if (at >= end_) {
      ends("the file ends within a string");
    } else {
      ++at;
    }
    at = next_special(at);
  }
  at_ = at + 1;
}

void JsonCursor::skip_number() {
  const char* at = at_;
  if (*at == '-') ++at;
  if (*at == 'I') return skip_word();
  if (!is_digit(*at)) unexpected("a value");
  while (is_digit(*at)) ++at;
  if (*at == '.') {
    ++at;
    while (is_digit(*at)) ++at;
  }
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    while (is_digit(*at)) ++at;
  }
  if (!is_digit(at[-1])) {
    at_ = at;
    unexpected("a digit");
  }
  at_ = at;
}

void JsonCursor::skip_word() {
  const std::string_view rest(at_, static_cast<size_t>(end_ - at_));
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
    if (rest.starts_with(word)) {
      at_ += word.size();
      return;
    }
  unexpected("a value");
}

void JsonCursor::skip_value() {
  switch (*at_) {
    case '"':
      return skip_string();
    case '{':
    case '[':
      return skip_nested();
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return skip_number();
    default:
      return skip_word();
  }
}

void JsonCursor::skip_nested() {
  if (*at_ == '{')
    members([this](std::string_view) { skip(); });
  else
    elements([this] { skip(); });
}

std::string json_text(std::string_view raw) {
  std::string_view rest = between_quotes(raw).value_or(raw);
  std::string out;
  while (true) {
    const size_t escape = rest.find('\\');
    out += rest.substr(0, escape);
    if (escape == std::string_view::npos || escape + 1 >= rest.size()) return out;
    rest.remove_prefix(escape);
    constexpr std::string_view kShort = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const size_t which = kShort.find(rest[1]);
    if (which != std::string_view::npos) {
      out += kMeant[which];
      rest.remove_prefix(2);
    } else if (!append_unicode(out, rest)) {
      out += rest.substr(0, 2);
      rest.remove_prefix(2);
    }
  }
}

std::string longer_than_a_name() {
  return fmt::format(" has more than {} (name limit)", limit_text(kNameLimit));
}

std::optional<int64_t> json_whole(std::string_view raw) {
  raw = between_quotes(raw).value_or(raw);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
  if (raw.empty() || error != std::errc() || end != raw.data() + raw.size()) return {};
  return number;
}

}  // namespace kjoule
