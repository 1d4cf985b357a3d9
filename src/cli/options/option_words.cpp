#include "cli/options/option_words.hpp"

#include <optional>
#include <string>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// A word of the command line that names an option: --NAME, --NAME=VALUE or -N.
struct OptionWord {
  const CLI::Option* option;
  std::string name;  ///< with its hyphens, as the user wrote it
  std::optional<std::string> value;

  bool takes_value() const { return option->get_items_expected_max() > 0; }
};

std::optional<OptionWord> option_word(const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-')) return {};
  const size_t equals = word.find('=');
  OptionWord written{nullptr, word.substr(0, equals), {}};
  written.option = command.get_option_no_throw(written.name);
  if (written.option == nullptr) return {};
  if (equals != std::string::npos) written.value = word.substr(equals + 1);
  return written;
}

/// Returns the command's own command of this name, or null if it has none.
const CLI::App* part_of(const CLI::App& command, const std::string& name) {
  const auto parts =
      command.get_subcommands([&name](const CLI::App* part) { return part->get_name() == name; });
  return parts.empty() ? nullptr : parts.front();
}

void check_value(const OptionWord& written) {
  if (!written.value) return;
  const std::string& name = written.name;
  if (!written.takes_value())
    throw UsageError(name + "=" + *written.value + ": " + name + " takes no value",
                     "write " + name + ", or omit it");
  if (!name.starts_with("--"))
    throw UsageError(name + "=" + *written.value + ": the value of a short option follows it without =",
                     "write " + name + " VALUE");
  if (written.value->empty()) throw UsageError(name + ": its value is empty", "give a value, or omit it");
}

}  // namespace

void check_option_words(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* command = &app;
  for (int w = 1; w < argc; ++w) {
    const std::string word = argv[w];
    if (const CLI::App* part = part_of(*command, word)) {
      command = part;
      continue;
    }
    const auto written = option_word(*command, word);
    if (!written) continue;
    check_value(*written);
    if (!written->takes_value() || written->value) continue;
    ++w;  // the next word is the value
    if (w < argc && option_word(*command, argv[w]))
      throw UsageError(written->name + ": its value is missing, because " + argv[w] + " is an option",
                       "give the value after " + written->name);
  }
}

}  // namespace kjoule
