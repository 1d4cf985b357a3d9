#include "cli/shell/shell_quoting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kjoule {

namespace {

std::string with_replaced(const std::string& text, char one, const std::string& by) {
  std::string replaced;
  for (const char c : text) {
    if (c == one)
      replaced += by;
    else
      replaced += c;
  }
  return replaced;
}

std::string joined_patterns(const std::vector<std::string>& words) {
  return fmt::format("\"{}\"", fmt::join(words, "\" | \""));
}

}  // namespace

std::string quoted_for_sh(const std::string& text) {
  return "'" + with_replaced(text, '\'', "'\\''") + "'";
}

std::string quoted_for_fish(const std::string& text) {
  return "'" + with_replaced(with_replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

std::string part_patterns(const std::vector<CommandWords>& commands) {
  std::vector<std::string> words;
  for (const CommandWords& command : commands)
    for (const std::string& part : command.parts) words.push_back(command.path + " " + part);
  return joined_patterns(words);
}

std::string option_patterns(const std::vector<CommandWords>& commands, Completed value) {
  std::vector<std::string> words;
  for (const CommandWords& command : commands)
    for (const OptionWords& option : command.options)
      for (const std::string& name : option.names)
        if (option.value == value) words.push_back(command.path + " " + name);
  return joined_patterns(words);
}

}  // namespace kjoule
