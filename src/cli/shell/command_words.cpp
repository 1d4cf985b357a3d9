#include "cli/shell/command_words.hpp"

#include <algorithm>

#include "cli/options/file_options.hpp"

namespace kjoule {

namespace {

std::vector<const CLI::App*> parts_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// Returns the beginning of a text, for one line of a list: up to its first ':', ';', '.' or '(', or up to
/// the last word within 70 bytes.
std::string beginning(const std::string& text) {
  constexpr size_t kLongest = 70;
  std::string first = text;
  for (const char* end : {"; ", ": ", ". ", " ("}) first = first.substr(0, first.find(end));
  if (first.size() > kLongest) first = first.substr(0, first.rfind(' ', kLongest));
  while (!first.empty() && first.back() == ',') first.pop_back();
  return first;
}

Completed value_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) return Completed::nothing;
  return names_files(option) ? Completed::files : Completed::text;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words{.names = {}, .help = beginning(option.get_description()), .value = value_of(option)};
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  return words;
}

void add_command(const CLI::App& command, const std::string& path, std::vector<CommandWords>& all) {
  CommandWords words{.path = path, .help = beginning(command.get_description()), .options = {}, .parts = {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) words.arguments = std::max(words.arguments, value_of(*option));
    if (option->nonpositional()) words.options.push_back(words_of(*option));
  }
  for (const CLI::App* part : parts_of(command)) words.parts.push_back(part->get_name());
  all.push_back(words);
  for (const CLI::App* part : parts_of(command)) add_command(*part, words.path_of(part->get_name()), all);
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& kjoule) {
  std::vector<CommandWords> all;
  add_command(kjoule, "", all);
  return all;
}

const CLI::App* find_command(const CLI::App& kjoule, const std::vector<std::string>& words) {
  const CLI::App* found = &kjoule;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> parts = parts_of(*found);
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const CLI::App* one) { return one->get_name() == word; });
    if (part == parts.end()) return nullptr;
    found = *part;
  }
  return found;
}

}  // namespace kjoule
