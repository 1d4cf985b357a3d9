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

/// What is wrong with a formula, without the formula itself.
struct FormulaFault {
  std::string cause, remedy = kHowToWrite;
};

/// Whole numbers from -2^53 to 2^53, whose divisions have no remainder.
struct WholeArithmetic {
  using Number = int64_t;

  static Number multiply(Number a, Number b) {
    Number product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw FormulaFault{"is too large", kSmaller};
    return product;
  }
  static Number divide(Number a, Number b) {
    if (b == 0 || a % b != 0)
      throw FormulaFault{fmt::format("is not a whole number: it divides {} by {}", a, b),
                         "change the formula, or the sizes in it, so that nothing remains"};
    return a / b;
  }
  static Number checked(Number value) {
    if (value > kLargest || value < -kLargest) throw FormulaFault{"is too large", kSmaller};
    return value;
  }
};

/// Floating-point numbers, whose results may be infinite or no numbers.
struct RealArithmetic {
  using Number = double;

  static Number multiply(Number a, Number b) { return a * b; }
  static Number divide(Number a, Number b) { return a / b; }
  static Number checked(Number value) { return value; }
};

/// A parser for sums of products of numbers, names and formulas in parentheses.
template <typename Arithmetic>
class Formula {
 public:
  using Number = typename Arithmetic::Number;

  Formula(const std::string& text, const std::map<std::string, Number>& sizes) : text_(text), sizes_(sizes) {}

  Number value() {
    try {
      const Number found = sum();
      if (next() != '\0') throw FormulaFault{"is not a formula"};
      return found;
    } catch (const FormulaFault& fault) {
      throw Error(fmt::format("\"{}\" {}", text_, fault.cause), fault.remedy);
    }
  }

 private:
  Number sum() {
    if (++depth_ > kDeepest) throw FormulaFault{"is nested too deeply"};
    Number all = product();
    for (char c = next(); c == '+' || c == '-'; c = next()) {
      ++at_;
      all = Arithmetic::checked(c == '+' ? all + product() : all - product());
    }
    --depth_;
    return all;
  }

  Number product() {
    Number all = factor();
    for (char c = next(); c == '*' || c == '/'; c = next()) {
      ++at_;
      const Number by = factor();
      all = Arithmetic::checked(c == '*' ? Arithmetic::multiply(all, by) : Arithmetic::divide(all, by));
    }
    return all;
  }

  Number factor() {
    const char c = next();
    if (c == '(') {
      ++at_;
      const Number inner = sum();
      if (next() != ')') throw FormulaFault{"lacks a closing parenthesis"};
      ++at_;
      return inner;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word.empty()) throw FormulaFault{"is not a formula"};
    return std::isdigit(static_cast<unsigned char>(word.front())) ? static_cast<Number>(number(word))
                                                                  : size_named(word);
  }

  static int64_t number(const std::string& word) {
    int64_t found = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), found);
    if (error == std::errc::result_out_of_range) throw FormulaFault{"is too large", kSmaller};
    if (error != std::errc() || end != word.data() + word.size())
      throw FormulaFault{"contains a number that is not whole: " + word};
    return WholeArithmetic::checked(found);
  }

  Number size_named(const std::string& word) {
    const auto size = sizes_.find(word);
    if (size != sizes_.end()) return size->second;
    std::vector<std::string> names;
    for (const auto& [name, value] : sizes_) names.push_back(name);
    throw FormulaFault{fmt::format("contains {}, which is not the name of a size", word),
                       names.empty() ? "write a number, because there are no sizes"
                                     : fmt::format("the sizes are {}", fmt::join(names, ", "))};
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  const std::string& text_;
  const std::map<std::string, Number>& sizes_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

int64_t evaluate(const std::string& formula, const Sizes& sizes) {
  const int64_t found = Formula<WholeArithmetic>(formula, sizes).value();
  if (found < 0) throw Error(fmt::format("\"{}\" is {}, which is below 0", formula, found), kHowToWrite);
  return found;
}

double evaluate_real(const std::string& formula, const RealSizes& sizes) {
  return Formula<RealArithmetic>(formula, sizes).value();
}

}  // namespace kjoule
