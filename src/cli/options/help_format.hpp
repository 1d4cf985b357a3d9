#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "cli/options/command.hpp"

namespace kjoule {

/// Formats help texts in lines of at most 80 characters. Which options an option needs, and with which it
/// conflicts, follows its description.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

/// Returns an option's names with the type, default value and number of its values: "-o,--output-dir
/// TEXT=results".
std::string option_head(const CLI::Option& option, bool is_positional);
/// Returns what an option means, which options it needs, and with which it conflicts.
std::string option_text(const CLI::Option& option);
/// Returns the end of a command's help: the meanings of the columns of its tables, and an example.
std::string help_footer(const Command& command);

}  // namespace kjoule
