#include "cli/options/command_group.hpp"

#include <utility>

#include "cli/options/help_format.hpp"

namespace kjoule {

CommandGroup::CommandGroup(std::string name, std::string help, std::string example,
                           std::vector<std::unique_ptr<Command>> parts)
    : name_(std::move(name)),
      help_(std::move(help)),
      example_(std::move(example)),
      parts_(std::move(parts)) {}

void CommandGroup::declare(CLI::App& app) {
  app.require_subcommand(1);
  for (const auto& part : parts_) {
    CLI::App* declared = app.add_subcommand(part->name(), part->help());
    declared->footer(help_footer(*part));
    part->declare(*declared);
    declared_.push_back(declared);
  }
}

Command* CommandGroup::asked_for() const {
  for (size_t p = 0; p < parts_.size(); ++p)
    if (declared_[p]->parsed()) return parts_[p].get();
  return nullptr;
}

void CommandGroup::take_program(std::vector<std::string> program) {
  Command* part = asked_for();
  if (part == nullptr) return Command::take_program(std::move(program));
  part->take_program(std::move(program));
}

std::string CommandGroup::way_on() const {
  const Command* part = asked_for();
  return part == nullptr ? "" : part->way_on();
}

int CommandGroup::run() {
  Command* part = asked_for();
  return part == nullptr ? 0 : part->run();
}

}  // namespace kjoule
