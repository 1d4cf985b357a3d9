#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/input_file.hpp"
#include "base/files/padded_text.hpp"
#include "base/json/parse_json.hpp"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kjoule {

/// A reader that parses JSON of any size in one pass without building values: it returns each value as the
/// part of the text that contains it. Several values may follow one another, as in JSONL. NaN and Infinity
/// are accepted, because Python writes them; callers that need a finite number must reject them. Throws Error
/// "NAME:LINE: cause" if the text is not JSON.
class JsonCursor {
 public:
  /// `text` must outlive the cursor and the texts that it returns. `name` is the name of the text in error
  /// messages, and `remedy` is the remedy of every error. If the text ends within a value, the remedy first
  /// asks the user to check that the file is complete. `first_line` is the number of the text's first line in
  /// error messages.
  JsonCursor(const PaddedText& text, std::string name, std::string remedy, size_t first_line = 1);

  /// Returns the first character of the next value: {, [, ", or the first character of a number or word.
  /// Returns 0 at the end of the text.
  char next() {
    skip_space();
    return at_ < end_ ? *at_ : '\0';
  }
  bool at_end() { return next() == '\0' && at_ >= end_; }
  /// Calls take(key) for each member of the next value, which must be an object; `take` must consume the
  /// member's value. Keys are passed as written, with their escapes.
  template <class Take>
  void members(Take take);
  /// Calls take() for each element of the next value, which must be an array; `take` must consume the
  /// element.
  template <class Take>
  void elements(Take take);
  /// Consumes the next value and returns its text; the text of a string includes the quotes.
  std::string_view raw() {
    skip_space();
    const char* const begin = at_;
    skip_value();
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  /// Consumes the next value.
  void skip() {
    skip_space();
    skip_value();
  }
  /// Returns the current position in the text.
  const char* position() const { return at_; }
  /// Continues at a position that position() returned before a value.
  void seek(const char* position) { at_ = position; }
  /// Throws an Error that points to a position in the cursor's text, or to the beginning of `raw`, which must
  /// be a part of that text.
  [[noreturn]] void fail(const char* where, const std::string& cause) const;
  [[noreturn]] void fail(std::string_view raw, const std::string& cause) const { fail(raw.data(), cause); }
  /// Throws an Error that points to the current position.
  [[noreturn]] void fail(const std::string& cause) const { fail(at_, cause); }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void skip_space() {
    while (is_space(*at_)) ++at_;
  }
  void expect(char c, const char* what) {
    skip_space();
    if (*at_ != c) unexpected(what);
    ++at_;
  }
  void skip_value();
  /// Consumes a string. Inline, because it runs for every key, and few strings contain escapes.
  [[gnu::always_inline]] void skip_string() {
    const char* const special = next_special(at_ + 1);
    if (*special != '"') return skip_rest_of_string(special);
    at_ = special + 1;
  }
  /// Consumes the rest of a string from a backslash or zero byte on.
  void skip_rest_of_string(const char* special);
  /// Returns the next quote, backslash or zero byte from `at` on; the padding always contains one.
  static const char* next_special(const char* at);
  void skip_nested();
  void skip_number();
  void skip_word();
  [[noreturn]] void unexpected(const char* wanted) const;
  /// Returns "NAME:LINE: cause".
  std::string error_text(const char* where, const std::string& cause) const;
  [[noreturn]] void ends(const std::string& cause) const;
  void deeper() {
    if (++depth_ > kNestingLimit) fail(too_deep());
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  int depth_ = 0;
  std::string name_, remedy_;
  size_t first_line_;
};

/// Returns the contents of a JSON string with quotes; a text without quotes is returned unchanged. Invalid
/// escapes remain as they are.
std::string json_text(std::string_view raw);
/// Returns the part of `raw` between its quotes; no value if `raw` is not in quotes.
inline std::optional<std::string_view> between_quotes(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"') return {};
  return raw.substr(1, raw.size() - 2);
}
/// Returns the cause of errors about a text that exceeds kNameLimit, after the name of its field.
std::string longer_than_a_name();
/// Returns the integer that the text contains, with or without quotes; no value if the text is not an
/// integer, or if the integer does not fit into 64 bits.
std::optional<int64_t> json_whole(std::string_view raw);

[[gnu::always_inline]] inline const char* JsonCursor::next_special(const char* at) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\'), zero = _mm_setzero_si128();
  while (true) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, escape)),
                     _mm_cmpeq_epi8(block, zero));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask != 0) return at + __builtin_ctz(mask);
    at += 16;
  }
#else
  while (*at != '"' && *at != '\\' && *at != '\0') ++at;
  return at;
#endif
}

template <class Take>
void JsonCursor::members(Take take) {
  expect('{', "an object");
  deeper();
  skip_space();
  if (*at_ == '}') {
    ++at_;
  } else {
    while (true) {
      skip_space();
      if (*at_ != '"') unexpected("a key");
      const char* const key = at_ + 1;
      skip_string();
      const std::string_view name(key, static_cast<size_t>(at_ - key) - 1);
      expect(':', "a colon");
      take(name);
      skip_space();
      if (*at_ == ',') {
        ++at_;
        continue;
      }
      expect('}', "a comma or the object's end");
      break;
    }
  }
  --depth_;
}

template <class Take>
void JsonCursor::elements(Take take) {
  expect('[', "an array");
  deeper();
  skip_space();
  if (*at_ == ']') {
    ++at_;
  } else {
    while (true) {
      take();
      skip_space();
      if (*at_ == ',') {
        ++at_;
        continue;
      }
      expect(']', "a comma or the array's end");
      break;
    }
  }
  --depth_;
}

}  // namespace kjoule
