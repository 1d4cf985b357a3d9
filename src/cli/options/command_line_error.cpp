#include "cli/options/command_line_error.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace kjoule {

namespace {

constexpr const char* kHelp = "kjoule COMMAND --help lists the options";

/// Returns the texts before and after the first `mark`; nothing if it is not there.
std::optional<std::pair<std::string, std::string>> split_at(const std::string& text,
                                                            const std::string& mark) {
  const size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  return std::pair(text.substr(0, at), text.substr(at + mark.size()));
}

std::string text_of_rest(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) return "the command line has an unknown argument";
  return (rest.front().empty() ? "''" : rest.front()) +
         (rest.front().starts_with('-') ? ": no such option" : ": the command takes no such argument");
}

/// Returns the cause of an error in the number of an option's values.
std::string text_of_count(const std::string& said) {
  if (const auto parts = split_at(said, ": At Most ")) return parts->first + ": is given more than once";
  if (const auto parts = split_at(said, ": ")) return parts->first + ": its value is missing";
  return "an option has a wrong number of values";
}

/// Returns the cause in kjoule's words. The names of options are taken from CLI11's message, because CLI11
/// keeps them nowhere else.
std::string text_of(const CLI::ParseError& error, const CLI::App& app) {
  const std::string said = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return text_of_rest(app);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return text_of_count(said);
  if (const auto parts = split_at(said, " excludes "))
    return parts->first + " cannot be combined with " + parts->second;
  if (const auto parts = split_at(said, " requires ")) return parts->first + " requires " + parts->second;
  if (const auto parts = split_at(said, "Could not convert: "))
    if (const auto value = split_at(parts->second, " = "))
      return fmt::format("{}: the value {} is not valid", value->first, value->second);
  if (said == "A subcommand is required" && !app.remaining(true).empty()) return text_of_rest(app);
  if (said == "A subcommand is required")
    return app.get_subcommands().empty() ? "no command was given" : "no subcommand was given";
  if (const auto parts = split_at(said, " is required")) return parts->first + " is missing";
  // The checks of values have texts of kjoule (cli/options/numbers.hpp).
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr)
    if (const auto parts = split_at(said, ": ")) return parts->first + ": " + parts->second;
  return "the command line is not understood";
}

}  // namespace

UsageError command_line_error(const CLI::ParseError& error, const CLI::App& app) {
  return UsageError(text_of(error, app), kHelp);
}

}  // namespace kjoule
