#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/options/numbers.hpp"

namespace kjoule {

/// Returns the values of an option that takes several, separated by commas or given one by one. Throws
/// UsageError for an empty value.
inline std::vector<std::string> split_values(const std::string& option,
                                             const std::vector<std::string>& given) {
  std::vector<std::string> values;
  for (const std::string& text : given) {
    size_t begin = 0;
    for (size_t comma = 0; comma != std::string::npos; begin = comma + 1) {
      comma = text.find(',', begin);
      values.push_back(text.substr(begin, comma == std::string::npos ? comma : comma - begin));
      if (values.back().empty())
        throw UsageError(option + " '" + text + "': a value is empty", "separate values by single commas");
    }
  }
  return values;
}

/// Declares an option whose values are separated by commas. CLI11's own delimiter() drops empty values.
inline CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                             const std::string& help) {
  CLI::Option* option = app.add_option(
      name,
      [name, &values](const CLI::results_t& given) {
        values = split_values(name, given);
        return true;
      },
      help);
  return option->type_name("TEXT")->expected(1, CLI::detail::expected_max_vector_size);
}

/// Declares such an option for whole numbers in a range.
inline CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<int64_t>& values,
                             int64_t least, int64_t most, const std::string& help) {
  CLI::Option* option = app.add_option(
      name,
      [name, &values, least, most](const CLI::results_t& given) {
        values.clear();
        for (std::string& text : split_values(name, given)) {
          if (const std::string wrong = whole_number(least, most)(text); !wrong.empty())
            throw UsageError(name + ": " + wrong, "write for example 1,32");
          values.push_back(*parse_whole_number(text));
        }
        return true;
      },
      help);
  return option->type_name("INT,INT")->expected(1, CLI::detail::expected_max_vector_size);
}

}  // namespace kjoule
