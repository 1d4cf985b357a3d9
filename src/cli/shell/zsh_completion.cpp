#include <fmt/format.h>

#include "cli/shell/completions.hpp"
#include "cli/shell/shell_quoting.hpp"

namespace kjoule {

namespace {

constexpr const char* kZsh = R"(#compdef kjoule
# Completion of kjoule for zsh, made by: kjoule completion zsh
_kjoule() {{
  local command= before=${{words[CURRENT-1]}} files= i
  local -a entries
  for ((i = 2; i < CURRENT; ++i)); do
    if [[ ${{words[i]}} == -- ]]; then
      shift $i words
      ((CURRENT -= i))
      _normal
      return
    fi
    case "$command ${{words[i]}}" in
      ({parts}) command="${{command:+$command }}${{words[i]}}" ;;
    esac
  done
  case "$command $before" in
    ({texts}) return 1 ;;
    ({files}) _files; return ;;
  esac
  case $command in
{commands}  esac
  _describe 'kjoule' entries
  [[ -z $files ]] || _files
}}
if [[ $funcstack[1] == _kjoule ]]; then
  _kjoule "$@"
else
  compdef _kjoule kjoule
fi
)";

/// Returns an entry of zsh's function _describe, which separates name and text by a colon.
std::string entry_of(const std::string& name, const std::string& help) {
  std::string text;
  for (const char c : help) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return "      " + quoted_for_sh(name + ":" + text) + "\n";
}

std::string zsh_branch(const CommandWords& command, const std::vector<CommandWords>& all) {
  std::string entries;
  for (const std::string& part : command.parts)
    for (const CommandWords& one : all)
      if (one.path == command.path_of(part)) entries += entry_of(part, one.help);
  for (const OptionWords& option : command.options)
    for (const std::string& name : option.names) entries += entry_of(name, option.help);
  const char* files = command.arguments == Completed::files ? "\n      files=yes" : "";
  return fmt::format("    (\"{}\")\n      entries=(\n{}      ){}\n      ;;\n", command.path, entries, files);
}

}  // namespace

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string branches;
  for (const CommandWords& command : commands) branches += zsh_branch(command, commands);
  return fmt::format(kZsh, fmt::arg("parts", part_patterns(commands)),
                     fmt::arg("texts", option_patterns(commands, Completed::text)),
                     fmt::arg("files", option_patterns(commands, Completed::files)),
                     fmt::arg("commands", branches));
}

}  // namespace kjoule
