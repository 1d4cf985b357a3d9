#pragma once
#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace kjoule {

/// Refuses infinities, NaN and numbers that a double cannot hold.
inline CLI::Validator finite_number() {
  const auto check = [](const std::string& text) {
    double number = 0;
    const bool bad = CLI::detail::lexical_cast(text, number) && !std::isfinite(number);
    return bad ? text + " is not a finite number" : std::string();
  };
  return {check, ""};
}

/// Adds finite_number() to each option of the command, and of its own commands, that takes real numbers.
inline void require_finite_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options(
           [](const CLI::Option* one) { return one->get_type_name() == CLI::detail::type_name<double>(); }))
    option->check(finite_number());
  for (CLI::App* part : app.get_subcommands({})) require_finite_numbers(*part);
}

}  // namespace kjoule
