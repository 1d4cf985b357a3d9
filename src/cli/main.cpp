#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "kjoule_version.hpp"

namespace {

/// Cuts "--" and what stands behind it off the command line: that belongs to another program, whose options
/// are not ours to read. Nothing when there is no "--".
std::optional<std::vector<std::string>> cut_program(int& argc, char** argv) {
  char** const mark =
      std::find_if(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--") == 0; });
  if (mark == argv + argc) return {};
  const std::vector<std::string> program(mark + 1, argv + argc);
  if (program.empty()) throw kjoule::Error("no program after --", "kjoule compare -- PROGRAM ARGS");
  argc = static_cast<int>(mark - argv);
  return program;
}

int run(const std::vector<std::unique_ptr<kjoule::Command>>& commands, int argc, char** argv) {
  CLI::App app(
      "kjoule: records a program's kernels, replays each one, and checks their sum against the whole.");
  app.set_version_flag("--version", std::string("kjoule ") + kjoule::kjoule_version);
  app.require_subcommand(1);
  const auto program = cut_program(argc, argv);
  std::vector<CLI::App*> declared;
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->help());
    sub->footer("example: " + command->example());
    command->declare(*sub);
    declared.push_back(sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    throw kjoule::Error(error.what(), "kjoule COMMAND --help tells what there is");
  }
  for (size_t c = 0; c < commands.size(); ++c) {
    if (!declared[c]->parsed()) continue;
    if (program) commands[c]->take_program(*program);
    return commands[c]->run();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(kjoule::commands(), argc, argv);
  } catch (const kjoule::Error& error) {
    std::fprintf(stderr, "kjoule: %s\n", error.line().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kjoule: %s\n", error.what());
  }
  return 1;
}
