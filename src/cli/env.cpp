#include <fmt/format.h>

#include <filesystem>

#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/confirmation.hpp"
#include "cli/options/numbers.hpp"
#include "device/injected_program.hpp"
#include "device/waiting_program.hpp"
#include "recording/rank_limit.hpp"

namespace kjoule {

namespace {

/// Returns the default name of a program: at most 48 bytes of its file name, in which '-' replaces each
/// character that a name must not contain.
std::string name_for(const std::string& program) {
  std::string name = std::filesystem::path(program).filename().string().substr(0, 48);
  for (char& one : name)
    if (!can_name_program({one})) one = '-';
  return name;
}

class Env final : public Command {
 public:
  std::string name() const override { return "env"; }
  std::string help() const override {
    return "prints the environment variables with which to start a program, so that kjoule compare --attach "
           "can measure it while it runs";
  }
  std::string example() const override { return "kjoule env -- python3 server.py --port 8000"; }
  void declare(CLI::App& app) override {
    app.add_option("--name", options_.waits_as,
                   "name by which kjoule compare --attach finds the program: up to 48 letters, digits, '.', "
                   "'_' and '-'; default: the program's file name");
    app.add_option("--gpu", options_.gpu,
                   "number of the GPU to measure, as the program numbers its GPUs; default: its only GPU")
        ->check(whole_number(0, kMostGpuNumber));
    app.add_option("--rank", options_.rank,
                   "rank of the process that may be measured, as in its environment variable RANK or "
                   "LOCAL_RANK; default: every process may be measured")
        ->check(whole_number(0, kMostNamedRanks - 1));
    app.add_flag("--json", json_, "print a JSON object instead of lines");
  }
  void take_program(std::vector<std::string> program) override { program_ = std::move(program); }
  int run() override {
    if (options_.waits_as.empty() && program_.empty())
      throw UsageError(
          "no program was given",
          "give the program after --: kjoule env -- COMMAND, or only its name: kjoule env --name NAME");
    if (options_.waits_as.empty()) options_.waits_as = name_for(program_.front());
    if (!can_name_program(options_.waits_as))
      throw UsageError(fmt::format("'{}' is not a valid name for a program", options_.waits_as),
                       "--name takes up to 48 letters, digits, '.', '_' and '-'");
    print(variables());
    return 0;
  }

 private:
  Environment variables() const {
    Environment set = environment_with_library(std::filesystem::absolute(find_injected_library()));
    set.merge(environment_without_multicast());
    const Environment unset = InjectionOptions().to_environment();
    for (const auto& [name, value] : options_.to_environment())
      if (unset.at(name) != value) set[name] = value;
    return set;
  }

  void print(const Environment& variables) const {
    if (json_) return print_text(nlohmann::json(variables).dump(2) + "\n");
    if (program_.empty()) {
      for (const auto& [name, value] : variables) print_output("{}={}\n", name, value);
      return;
    }
    std::vector<std::string> words;
    for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
    words.insert(words.end(), program_.begin(), program_.end());
    print_text(shell_text(words) + "\n");
  }

  InjectionOptions options_;
  std::vector<std::string> program_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> env_command() {
  return std::make_unique<Env>();
}

}  // namespace kjoule
