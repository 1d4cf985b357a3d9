#include "cli/options/effect.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/process/terminal.hpp"

namespace kjoule {

const CLI::Option* first_given(const Options& options) {
  const auto given =
      std::find_if(options.begin(), options.end(), [](const auto* one) { return one->count() > 0; });
  return given == options.end() ? nullptr : *given;
}

void refuse_given(const Options& options, const std::string& where, const std::string& remedy) {
  if (const CLI::Option* one = first_given(options))
    throw UsageError(one->get_name() + " has no effect " + where, remedy);
}

void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (std::ranges::find(option->results(), std::string()) != option->results().end())
      throw UsageError(option->get_name() + ": its value is empty", "give a value, or omit it");
  for (const CLI::App* part : command.get_subcommands()) refuse_empty_values(*part);
}

void report_no_effect(const Options& options, const std::string& where) {
  for (const CLI::Option* one : options)
    if (one->count() > 0) print_warning("{} has no effect {}", one->get_name(), where);
}

void refuse_beside(const CLI::App& app, const CLI::Option* flag) {
  if (flag->count() > 0)
    refuse_given(app.get_options([flag](const CLI::Option* other) { return other != flag; }),
                 "together with " + flag->get_name(), "omit it");
}

}  // namespace kjoule
