#pragma once
#include <string>
#include <vector>

#include "cli/shell/command_words.hpp"

namespace kjoule {

/// Returns the text in single quotes, as bash and zsh read it.
std::string quoted_for_sh(const std::string& text);
/// Returns the text in single quotes, as fish reads it.
std::string quoted_for_fish(const std::string& text);

/// Returns the patterns of a `case` of bash and zsh that matches the words `before, name` for each command
/// and each of its subcommands: `" compare" | "power log"`.
std::string part_patterns(const std::vector<CommandWords>& commands);
/// Returns the patterns of a `case` that matches a command and its option, for all options with such a value:
/// `"compare --model" | "compare -o"`.
std::string option_patterns(const std::vector<CommandWords>& commands, Completed value);

}  // namespace kjoule
