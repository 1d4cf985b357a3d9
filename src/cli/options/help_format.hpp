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

/// Returns the end of a command's help: the meanings of the columns of its tables, and an example.
std::string help_footer(const Command& command);

}  // namespace kjoule
