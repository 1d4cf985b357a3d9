#include "cli/shell/manual_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/options/help_format.hpp"
#include "kjoule_version.hpp"

namespace kjoule {

namespace {

/// Returns a line of text for troff: no character of it is a request or an escape.
std::string troff(const std::string& line) {
  std::string text;
  for (const char c : line) {
    if (c == '\\')
      text += "\\e";
    else if (c == '-')
      text += "\\-";
    else
      text += c;
  }
  return text.starts_with('.') || text.starts_with('\'') ? "\\&" + text : text;
}

/// Returns the title of a section: an argument of troff's request in quotation marks.
std::string section(const std::string& title) {
  std::string text;
  for (const char c : title) text += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return ".SH \"" + text + "\"\n";
}

std::string tagged(const std::string& head, const std::string& text) {
  return ".TP\n\\fB" + troff(head) + "\\fR\n" + (text.empty() ? "" : troff(text) + "\n");
}

/// Returns the options of a group, or the positional arguments if `group` is empty.
std::string options_of(const CLI::App& command, const std::string& group) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const bool belongs =
        group.empty() ? option->get_positional() : option->nonpositional() && option->get_group() == group;
    if (belongs && !option->get_group().empty())
      text += tagged(option_head(*option, group.empty()), option_text(*option));
  }
  return text;
}

std::string all_options(const CLI::App& command) {
  std::string text = options_of(command, "");
  if (!text.empty()) text = section("ARGUMENTS") + text;
  std::vector<std::string> groups;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty() &&
        std::find(groups.begin(), groups.end(), option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  for (const std::string& group : groups) {
    const std::string options = options_of(command, group);
    if (!options.empty()) text += section(group == "Options" ? "OPTIONS" : group) + options;
  }
  return text;
}

std::string commands_of(const CLI::App& command) {
  std::string text;
  for (const CLI::App* part : command.get_subcommands([](const CLI::App*) { return true; }))
    text += tagged(part->get_name(), part->get_description());
  return text.empty() ? text : section("COMMANDS") + text;
}

/// Returns the end of the command's help: the columns of its tables and its example, each line as it is.
std::string output_and_example(const CLI::App& command) {
  std::string output, example;
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) {
    std::string& part = example.empty() && !line.starts_with("example: ") ? output : example;
    part += troff(line) + "\n";
  }
  const auto as_it_is = [](const std::string& text) { return ".nf\n" + text + ".fi\n"; };
  std::string text;
  if (output.find_first_not_of('\n') != std::string::npos) text += section("OUTPUT") + as_it_is(output);
  if (!example.empty()) text += section("EXAMPLE") + as_it_is(example.substr(example.find(' ') + 1));
  return text;
}

/// Returns the words with which the command is called: "kjoule power log".
std::string words_of_command(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "kjoule" : words_of_command(*parent) + " " + command.get_name();
}

/// Returns the usage without its heading, in one line.
std::string synopsis(const CLI::App& command, const std::string& name) {
  std::istringstream words(HelpFormatter().make_usage(&command, name));
  std::string word, line;
  words >> word;  // "Usage:"
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

std::string manual_page(const CLI::App& command) {
  const std::string name = words_of_command(command);
  std::string title = name;
  std::replace(title.begin(), title.end(), ' ', '-');
  return fmt::format(".TH \"{}\" 1 \"\" \"kjoule {}\" kjoule\n", title, kjoule_version) + section("NAME") +
         troff(title) + " \\- " + troff(command.get_description()) + "\n" + section("SYNOPSIS") +
         troff(synopsis(command, name)) + "\n" + commands_of(command) + all_options(command) +
         output_and_example(command) + section("SEE ALSO") +
         "The documents, in the folder share/doc/kjoule of an installation; their list is docs/README.md.\n";
}

}  // namespace kjoule
