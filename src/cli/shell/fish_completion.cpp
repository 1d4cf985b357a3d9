#include <fmt/format.h>

#include "cli/shell/completions.hpp"
#include "cli/shell/shell_quoting.hpp"

namespace kjoule {

namespace {

/// A function that succeeds if the words before the cursor name a certain command of kjoule. After "--", it
/// never does, so that fish completes files.
constexpr const char* kFish = R"(# Completion of kjoule for fish, made by: kjoule completion fish
function __kjoule_is
  set -l found
  for word in (commandline -opc)[2..]
    if test "$word" = --
      return 1
    end
    switch "$found $word"
      case {}
        set found (string trim -- "$found $word")
    end
  end
  test "$found" = "$argv[1]"
end
)";

/// Returns fish's line for an option, or for all names of one.
std::string fish_option(const std::string& condition, const OptionWords& option) {
  std::string line = condition;
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.value == Completed::text) line += " -x";
  if (option.value == Completed::files) line += " -r -F";
  return line + " -d " + quoted_for_fish(option.help) + "\n";
}

std::string fish_branch(const CommandWords& command, const std::vector<CommandWords>& all) {
  const std::string condition =
      "complete -c kjoule -n " + quoted_for_fish("__kjoule_is \"" + command.path + "\"");
  std::string lines;
  if (command.arguments != Completed::files) lines += condition + " -f\n";
  for (const std::string& part : command.parts)
    for (const CommandWords& one : all)
      if (one.path == command.path_of(part))
        lines += condition + " -a " + part + " -d " + quoted_for_fish(one.help) + "\n";
  for (const OptionWords& option : command.options) lines += fish_option(condition, option);
  return lines;
}

}  // namespace

std::string fish_completion(const std::vector<CommandWords>& commands) {
  std::string patterns;
  for (const CommandWords& command : commands)
    for (const std::string& part : command.parts)
      patterns += (patterns.empty() ? "" : " ") + quoted_for_fish(command.path + " " + part);
  std::string script = fmt::format(kFish, patterns);
  for (const CommandWords& command : commands) script += fish_branch(command, commands);
  return script;
}

}  // namespace kjoule
