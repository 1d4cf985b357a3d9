#include "cli/options/help_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "report/wrapped.hpp"

namespace kjoule {

namespace {

constexpr size_t kNameWidth = 26;  ///< characters of an entry's name, with the spaces around it
constexpr size_t kHeadWidth = 18;  ///< characters of a column's head, with the spaces around it

/// Returns the lines of one entry: its name on the left, the text on the right. A longer name has lines of
/// its own.
std::string entry(const std::string& name, const std::string& text, size_t name_width) {
  const std::string indent(name_width, ' ');
  if (text.empty()) return wrapped("  ", name);
  if (name.size() + 4 > name_width) return wrapped("  ", name) + wrapped(indent, text);
  return wrapped(fmt::format("  {:<{}}", name, name_width - 2), text);
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Returns an option's type, default value and number of values: "TEXT=auto ...".
std::string value_text(const CLI::Option& option) {
  if (option.get_type_size() == 0) return {};
  std::string text;
  if (!option.get_type_name().empty()) text += " " + option.get_type_name();
  if (!option.get_default_str().empty()) text += "=" + option.get_default_str();
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  if (option.get_required()) text += " (required)";
  return text;
}

}  // namespace

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return wrapped("", app->get_description());
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = CLI::Formatter::make_usage(app, std::move(name));
  usage.erase(usage.find_last_not_of('\n') + 1);
  return wrapped("", usage);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(option_head(*option, is_positional), option_text(*option), kNameWidth);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description(), kNameWidth);
}

std::string option_head(const CLI::Option& option, bool is_positional) {
  return option.get_name(is_positional, !is_positional) + value_text(option);
}

std::string option_text(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_needs().empty()) text += " (needs " + names_of(option.get_needs()) + ")";
  if (!option.get_excludes().empty()) text += " (not with " + names_of(option.get_excludes()) + ")";
  return text;
}

std::string help_footer(const Command& command) {
  std::string text;
  for (const TableColumns& table : command.tables()) {
    text += wrapped("", "Columns of " + table.table + ":");
    for (const Column& column : table.columns) text += entry(column.head, column.meaning, kHeadWidth);
    text += "\n";
  }
  return text + wrapped("example: ", command.example());
}

}  // namespace kjoule
