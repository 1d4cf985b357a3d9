#pragma once
#include <CLI/CLI.hpp>

#include <functional>
#include <string>

#include "base/text/parse_number.hpp"

namespace kjoule {

/// Refuses texts that CLI11 reads as numbers, but that are not written as in files: hexadecimal and octal
/// numbers, digits with separators, infinities, and NaN.
inline CLI::Validator plain_number(bool (*is_plain)(const std::string&), const char* kind) {
  const auto check = [is_plain, kind](const std::string& text) {
    return is_plain(text) ? std::string() : text + " is not a " + kind;
  };
  return {check, ""};
}

/// Adds plain_number() to each option of the command, and of its own commands, that takes numbers.
inline void require_plain_numbers(CLI::App& app) {
  const auto has_type = [](const std::string& type) {
    return [type](const CLI::Option* one) { return one->get_type_name() == type; };
  };
  for (const std::string& type :
       std::vector<std::string>{CLI::detail::type_name<int64_t>(), CLI::detail::type_name<uint64_t>()})
    for (CLI::Option* option : app.get_options(has_type(type)))
      option->check(plain_number(
          [](const std::string& text) { return parse_whole_number(text) || parse_unsigned_number(text); },
          "whole number"));
  for (CLI::Option* option : app.get_options(has_type(CLI::detail::type_name<double>())))
    option->check(plain_number([](const std::string& text) { return parse_number(text).has_value(); },
                               "finite number"));
  for (CLI::App* part : app.get_subcommands({})) require_plain_numbers(*part);
}

}  // namespace kjoule
