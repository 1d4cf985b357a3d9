#pragma once
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kjoule {

/// Checks of numbers with short messages. The messages of CLI11's own checks contain the largest double with
/// 309 digits.
inline CLI::Validator at_least(int least) {
  const auto check = [least](const std::string& text) {
    int number = 0;
    const bool good = CLI::detail::lexical_cast(text, number) && number >= least;
    return good ? std::string() : text + " is not a whole number from " + std::to_string(least);
  };
  return {check, ""};
}

inline CLI::Validator above_zero() {
  const auto check = [](const std::string& text) {
    double number = 0;
    const bool good = CLI::detail::lexical_cast(text, number) && number > 0;
    return good ? std::string() : text + " is not a number above 0";
  };
  return {check, ""};
}

inline CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) {
    const bool good = std::find(words.begin(), words.end(), text) != words.end();
    return good ? std::string() : fmt::format("{} is none of {}", text, fmt::join(words, ", "));
  };
  return {check, ""};
}

}  // namespace kjoule
