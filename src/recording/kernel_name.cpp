#include "recording/kernel_name.hpp"

#include <algorithm>

namespace kjoule {

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool opens(char c) {
  return c == '<' || c == '(' || c == '{' || c == '[';
}

bool closes(char c) {
  return c == '>' || c == ')' || c == '}' || c == ']';
}

}  // namespace

std::string function_in(std::string_view name) {
  std::string function;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (depth == 0 && name.substr(i, kAnonymous.size()) == kAnonymous) {
      function += kAnonymous;
      i += kAnonymous.size() - 1;
    } else if (depth == 0 && c == '(' && !function.empty()) {
      break;  // the parameters
    } else if (opens(c)) {
      ++depth;
    } else if (closes(c)) {
      depth = std::max(0, depth - 1);
    } else if (depth == 0 && c == ' ') {
      function.clear();  // everything before the blank was the return type
    } else if (depth == 0) {
      function += c;
    }
  }
  return function;
}

bool adds_up_products(std::string_view name) {
  const std::string function = function_in(name);
  return function == "splitKreduce_kernel" || function.ends_with("::splitKreduce_kernel");
}

NamePattern::NamePattern(const std::string& text) {
  size_t begin = 0;
  for (size_t star = text.find('*'); star != std::string::npos; star = text.find('*', begin)) {
    pieces_.push_back(text.substr(begin, star - begin));
    begin = star + 1;
  }
  pieces_.push_back(text.substr(begin));
}

bool NamePattern::matches(std::string_view name) const {
  if (pieces_.size() == 1) return name == pieces_.front();
  if (!name.starts_with(pieces_.front())) return false;
  name.remove_prefix(pieces_.front().size());
  for (size_t i = 1; i + 1 < pieces_.size(); ++i) {
    const size_t place = name.find(pieces_[i]);
    if (place == std::string_view::npos) return false;
    name.remove_prefix(place + pieces_[i].size());
  }
  return name.ends_with(pieces_.back());
}

size_t find_word(std::string_view text, std::string_view word) {
  const bool goes_on = word.ends_with('*');
  if (goes_on) word.remove_suffix(1);
  for (size_t place = text.find(word); place != std::string_view::npos; place = text.find(word, place + 1)) {
    const size_t end = place + word.size();
    const bool begins = place == 0 || !is_alphanumeric(text[place - 1]);
    if (begins && (goes_on || end == text.size() || !is_alphanumeric(text[end]))) return place;
  }
  return std::string_view::npos;
}

}  // namespace kjoule
