#include "cli/command.hpp"
#include "cli/doctor.hpp"

namespace kjoule {

namespace {

class Doctor final : public Command {
 public:
  std::string name() const override { return "doctor"; }
  std::string help() const override { return "says what this machine has and lacks, with remedies"; }
  std::string example() const override { return "kjoule doctor --json"; }
  void declare(CLI::App& app) override { app.add_flag("--json", json_, "one JSON object an item"); }
  int run() override { return doctor(json_); }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> doctor_command() {
  return std::make_unique<Doctor>();
}

}  // namespace kjoule
