#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/options/command.hpp"
#include "cli/options/command_line_error.hpp"
#include "cli/options/effect.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/help_format.hpp"
#include "cli/options/option_words.hpp"
#include "cli/options/plain_numbers.hpp"
#include "kjoule_version.hpp"

namespace kjoule {

namespace {

/// Removes "--" and everything after it from the command line and returns the words after it, which are
/// another program's command line. Returns nullopt if there is no "--".
std::optional<std::vector<std::string>> cut_program(int& argc, char** argv) {
  char** const mark =
      std::find_if(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--") == 0; });
  if (mark == argv + argc) return {};
  const std::vector<std::string> program(mark + 1, argv + argc);
  if (program.empty())
    throw UsageError("no program follows --",
                     "give the program and its arguments after --: kjoule compare -- PROGRAM ARGS");
  argc = static_cast<int>(mark - argv);
  return program;
}

bool has_parts(const CLI::App& command) {
  return command.get_require_subcommand_min() > 0;
}

bool has_part(const CLI::App& command, const std::string& name) {
  const auto parts =
      command.get_subcommands([&name](const CLI::App* part) { return part->get_name() == name; });
  return !parts.empty();
}

/// Throws UsageError with a clearer message than CLI11, which reports an unknown command as a superfluous
/// argument.
[[noreturn]] void refuse(const CLI::ParseError& error, const CLI::App& app,
                         const std::vector<CLI::App*>& declared, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "-";
  const auto known = std::find_if(declared.begin(), declared.end(),
                                  [&](const CLI::App* command) { return command->get_name() == first; });
  if (known == declared.end() && !first.starts_with('-'))
    throw UsageError((first.empty() ? "''" : first) + ": no such command",
                     "kjoule --help lists the commands");
  const std::string second = argc > 2 ? argv[2] : "-";
  if (known != declared.end() && has_parts(**known) && !second.starts_with('-') && !has_part(**known, second))
    throw UsageError(first + " " + second + ": no such command",
                     "kjoule " + first + " --help lists its subcommands");
  throw command_line_error(error, app);
}

/// Prints the help or version that was requested (CLI11 reports it as an exception), and returns the exit
/// code.
int answer(const CLI::App& app, const CLI::Success& asked) {
  std::ostringstream text, nothing;
  const int code = app.exit(asked, text, nothing);
  print_text(text.str());
  return code;
}

/// Runs the command. If it cannot write a file, adds Command::way_on() to the error.
int run_with_way_on(Command& command) {
  try {
    return command.run();
  } catch (const WriteError& error) {
    const std::string way_on = command.way_on();
    if (way_on.empty()) throw;
    throw WriteError(error, way_on);
  }
}

}  // namespace

std::vector<std::unique_ptr<Command>> commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(compare_command());
  all.push_back(report_command());
  all.push_back(diff_command());
  all.push_back(baseline_command());
  all.push_back(full_command());
  all.push_back(isolated_command());
  all.push_back(record_command());
  all.push_back(import_command());
  all.push_back(kernels_command());
  all.push_back(power_command());
  all.push_back(layers_command());
  all.push_back(sample_command());
  all.push_back(collectives_command());
  all.push_back(train_command());
  all.push_back(predict_command());
  all.push_back(energy_command());
  all.push_back(export_command());
  all.push_back(env_command());
  all.push_back(doctor_command());
  all.push_back(completion_command());
  all.push_back(manual_command());
  return all;
}

int run_command(int argc, char** argv) {
  CLI::App app(
      "kjoule records the kernels of a GPU program or model, replays each one, and checks whether they add "
      "up to the time and energy of one iteration.");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", std::string("kjoule ") + kjoule_version);
  app.footer("example: kjoule compare --model bloom.pt --threads 1");
  app.require_subcommand(1);
  const auto program = cut_program(argc, argv);
  const std::vector<std::unique_ptr<Command>> all = commands();
  std::vector<CLI::App*> declared;
  for (const auto& command : all) {
    CLI::App* sub = app.add_subcommand(command->name(), command->help());
    sub->footer(help_footer(*command));
    command->declare(*sub);
    require_plain_numbers(*sub);
    declared.push_back(sub);
  }
  check_option_words(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return answer(app, help);
  } catch (const CLI::CallForVersion& version) {
    return answer(app, version);
  } catch (const CLI::ParseError& error) {
    refuse(error, app, declared, argc, argv);
  }
  for (size_t c = 0; c < all.size(); ++c) {
    if (!declared[c]->parsed()) continue;
    if (program) all[c]->take_program(*program);
    refuse_empty_values(*declared[c]);
    check_files(*declared[c], program.value_or(std::vector<std::string>()));
    return run_with_way_on(*all[c]);
  }
  return 0;
}

}  // namespace kjoule
