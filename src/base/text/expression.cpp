#include "base/text/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <charconv>
#include <vector>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr int64_t kLargest = int64_t{1} << 53;
constexpr const char* kSmaller = "use values of at most 2^53";
constexpr int kDeepest = 100;
constexpr const char* kHowToWrite =
    "write a whole number of at least 0, or a formula of whole numbers, names of sizes and + - * / ( )";

/// A parser for sums of products of numbers, names and formulas in parentheses.
class Formula {
 public:
  Formula(const std::string& text, const Sizes& sizes) : text_(text), sizes_(sizes) {}

  int64_t value() {
    const int64_t found = sum();
    if (next() != '\0') fail("is not a formula");
    if (found < 0) fail(fmt::format("is {}, which is below 0", found));
    return found;
  }

 private:
  int64_t sum() {
    if (++depth_ > kDeepest) fail("is nested too deeply");
    int64_t all = product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      all = c == '+' ? all + product() : all - product();
      check(all);
    }
    --depth_;
    return all;
  }

  int64_t product() {
    int64_t all = factor();
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at_;
      const int64_t by = factor();
      if (c == '*') {
        if (__builtin_mul_overflow(all, by, &all)) fail("is too large", kSmaller);
      } else {
        if (by == 0 || all % by != 0)
          fail(fmt::format("is not a whole number: it divides {} by {}", all, by),
               "change the formula, or the sizes in it, so that nothing remains");
        all /= by;
      }
      check(all);
    }
    return all;
  }

  int64_t factor() {
    const char c = next();
    if (c == '(') {
      ++at_;
      const int64_t inner = sum();
      if (next() != ')') fail("lacks a closing parenthesis");
      ++at_;
      return inner;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word.empty()) fail("is not a formula");
    return std::isdigit(static_cast<unsigned char>(word.front())) ? number(word) : size_named(word);
  }

  int64_t number(const std::string& word) {
    int64_t found = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), found);
    if (error == std::errc::result_out_of_range) fail("is too large", kSmaller);
    if (error != std::errc() || end != word.data() + word.size())
      fail("contains a number that is not whole: " + word);
    check(found);
    return found;
  }

  int64_t size_named(const std::string& word) {
    const auto size = sizes_.find(word);
    if (size != sizes_.end()) return size->second;
    std::vector<std::string> names;
    for (const auto& [name, value] : sizes_) names.push_back(name);
    fail(fmt::format("contains {}, which is not the name of a size", word),
         names.empty() ? "write a number, because there are no sizes"
                       : fmt::format("the sizes are {}", fmt::join(names, ", ")));
  }

  void check(int64_t value) const {
    if (value > kLargest || value < -kLargest) fail("is too large", kSmaller);
  }
  [[noreturn]] void fail(const std::string& why, const std::string& remedy = kHowToWrite) const {
    throw Error(fmt::format("\"{}\" {}", text_, why), remedy);
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  const std::string& text_;
  const Sizes& sizes_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

int64_t evaluate(const std::string& formula, const Sizes& sizes) {
  return Formula(formula, sizes).value();
}

}  // namespace kjoule
