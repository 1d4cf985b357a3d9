#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/padded_text.hpp"

namespace kjoule {

/// Walks through JSON of any size in one pass and builds nothing: values are handed out as the stretches of
/// text that they are. NaN and Infinity pass for numbers, as Python writes them; whoever wants a number
/// refuses them. Every error is an Error "NAME:LINE: cause". Values may follow one another, as in JSONL.
class JsonCursor {
 public:
  static constexpr int kDeepest = 200;  ///< nested values

  /// `text` must outlive the cursor and what it hands out; `name` is what errors call it, `remedy` their
  /// other half; those about a text that ends too early ask, too, whether it is whole.
  JsonCursor(const PaddedText& text, std::string name, std::string remedy);

  /// First character of the value that is next: { [ " or that of a number or word; 0 at the end.
  char next() {
    skip_space();
    return at_ < end_ ? *at_ : '\0';
  }
  bool at_end() { return next() == '\0' && at_ >= end_; }
  /// Calls take(key) for each member of the object that is next; `take` must consume the value. Keys are as
  /// written, escapes and all.
  template <class Take>
  void members(Take take);
  /// Calls take() for each element of the array that is next; `take` must consume it.
  template <class Take>
  void elements(Take take);
  /// Consumes a value and gives its text; of a string with the quotes.
  std::string_view raw() {
    skip_space();
    const char* const begin = at_;
    skip_value();
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  void skip() {
    skip_space();
    skip_value();
  }
  /// Where it stands.
  const char* position() const { return at_; }
  /// Text of JSON in `raw`, which lies in the cursor's text: where errors point to.
  [[noreturn]] void fail(const char* where, const std::string& cause) const;
  [[noreturn]] void fail(std::string_view raw, const std::string& cause) const { fail(raw.data(), cause); }
  /// Points at what is next.
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
  void skip_string();
  void skip_nested();
  void skip_number();
  void skip_word();
  [[noreturn]] void unexpected(const char* wanted) const;
  /// "NAME:LINE: cause"
  std::string told(const char* where, const std::string& cause) const;
  [[noreturn]] void ends(const std::string& cause) const;
  void deeper() {
    if (++depth_ > kDeepest) fail("values are nested too deeply");
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  int depth_ = 0;
  std::string name_, remedy_;
};

/// What a JSON string, quotes included, says; the text itself when it is not quoted. Escapes that are none
/// stay as they are.
std::string json_text(std::string_view raw);
/// The stretch between the quotes; nothing when there are none.
inline std::optional<std::string_view> between_quotes(std::string_view raw) {
  if (raw.size() < 2 || raw.front() != '"') return {};
  return raw.substr(1, raw.size() - 2);
}
/// A whole number, also in quotes; nothing when it is none or does not fit.
std::optional<int64_t> json_whole(std::string_view raw);

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
