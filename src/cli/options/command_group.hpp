#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/options/command.hpp"

namespace kjoule {

/// A command that only consists of subcommands, for example `kjoule power` with `kjoule power log`.
class CommandGroup final : public Command {
 public:
  CommandGroup(std::string name, std::string help, std::string example,
               std::vector<std::unique_ptr<Command>> parts);
  std::string name() const override { return name_; }
  std::string help() const override { return help_; }
  std::string example() const override { return example_; }
  void declare(CLI::App& app) override;
  void take_program(std::vector<std::string> program) override;
  std::string way_on() const override;
  int run() override;

 private:
  /// Returns the subcommand of the command line; null if there is none.
  Command* asked_for() const;

  std::string name_, help_, example_;
  std::vector<std::unique_ptr<Command>> parts_;
  std::vector<CLI::App*> declared_;  ///< CLI11's object for each element of parts_
};

}  // namespace kjoule
