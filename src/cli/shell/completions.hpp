#pragma once
#include <string>
#include <vector>

#include "cli/shell/command_words.hpp"

namespace kjoule {

// Each function returns a script for one shell, which completes commands, options, and files as values of
// options and as arguments. After "--", the words of another program are completed.

std::string bash_completion(const std::vector<CommandWords>& commands);
std::string zsh_completion(const std::vector<CommandWords>& commands);
std::string fish_completion(const std::vector<CommandWords>& commands);

}  // namespace kjoule
