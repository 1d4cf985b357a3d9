#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kjoule {

/// What may follow an option or a command on the command line, as far as a shell can complete it.
enum class Completed { nothing, text, files };

/// An option as a shell completes it.
struct OptionWords {
  std::vector<std::string> names;  ///< with their dashes: "-o", "--output-dir"
  std::string help;                ///< the beginning of its description
  Completed value = Completed::nothing;
};

/// A command as a shell completes it.
struct CommandWords {
  std::string path;  ///< the words after "kjoule": "power log"; empty for kjoule itself
  std::string help;  ///< the beginning of its description
  std::vector<OptionWords> options;
  std::vector<std::string> parts;  ///< names of its subcommands
  Completed arguments = Completed::nothing;

  std::string path_of(const std::string& part) const { return path.empty() ? part : path + " " + part; }
};

/// Returns kjoule and all its commands, each command followed by its subcommands, in the order of the help.
std::vector<CommandWords> command_words(const CLI::App& kjoule);

/// Returns the command that kjoule's words name ("power", "log"); null if there is none.
const CLI::App* find_command(const CLI::App& kjoule, const std::vector<std::string>& words);

}  // namespace kjoule
