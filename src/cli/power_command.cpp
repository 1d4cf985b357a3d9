#include <utility>

#include "cli/command.hpp"

namespace kjoule {

namespace {

/// Commands of their own under one word.
class Power final : public Command {
 public:
  Power() {
    parts_.push_back(power_devices_command());
    parts_.push_back(power_log_command());
    parts_.push_back(power_idle_command());
  }
  std::string name() const override { return "power"; }
  std::string help() const override { return "lists power meters, logs them, profiles idle power"; }
  std::string example() const override { return "kjoule power devices"; }
  void declare(CLI::App& app) override {
    app.require_subcommand(1);
    for (const auto& part : parts_) {
      CLI::App* declared = app.add_subcommand(part->name(), part->help());
      declared->footer("example: " + part->example());
      part->declare(*declared);
      declared_.push_back(declared);
    }
  }
  int run() override {
    for (size_t p = 0; p < parts_.size(); ++p)
      if (declared_[p]->parsed()) return parts_[p]->run();
    return 0;
  }

 private:
  std::vector<std::unique_ptr<Command>> parts_;
  std::vector<CLI::App*> declared_;
};

}  // namespace

std::unique_ptr<Command> power_command() {
  return std::make_unique<Power>();
}

}  // namespace kjoule
