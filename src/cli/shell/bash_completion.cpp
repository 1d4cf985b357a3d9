#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/shell/completions.hpp"
#include "cli/shell/shell_quoting.hpp"

namespace kjoule {

namespace {

constexpr const char* kBash = R"(# Completion of kjoule for bash, made by: kjoule completion bash
_kjoule() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= files= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      ((COMP_CWORD > i + 1)) || mapfile -t COMPREPLY < <(compgen -c -- "$current")
      mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
      return
    fi
    case "$command ${{COMP_WORDS[i]}}" in
      {parts}) command="${{command:+$command }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$command $before" in
    {texts}) return ;;
    {files}) files=yes ;;
    *)
      case $command in
{commands}      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -z $files ]] || mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
}}
complete -o filenames -F _kjoule kjoule
)";

/// Returns the branch of one command: its subcommands and options, and whether files follow.
std::string branch(const CommandWords& command) {
  std::vector<std::string> words = command.parts;
  for (const OptionWords& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  const char* files = command.arguments == Completed::files ? " files=yes" : "";
  return fmt::format("        \"{}\") words={}{} ;;\n", command.path,
                     quoted_for_sh(fmt::format("{}", fmt::join(words, " "))), files);
}

}  // namespace

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string branches;
  for (const CommandWords& command : commands) branches += branch(command);
  return fmt::format(kBash, fmt::arg("parts", part_patterns(commands)),
                     fmt::arg("texts", option_patterns(commands, Completed::text)),
                     fmt::arg("files", option_patterns(commands, Completed::files)),
                     fmt::arg("commands", branches));
}

}  // namespace kjoule
