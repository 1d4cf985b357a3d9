#include "cli/doctor/doctor.hpp"
#include "cli/options/command.hpp"
#include "cli/options/printed.hpp"

namespace kjoule {

namespace {

class Doctor final : public Command {
 public:
  std::string name() const override { return "doctor"; }
  std::string help() const override {
    return "reports which of the devices and libraries that kjoule uses this machine has, with a remedy for "
           "each that is missing";
  }
  std::string example() const override { return "kjoule doctor --json"; }
  void declare(CLI::App& app) override {
    printed_.declare(app, "print one JSON object per item instead of the table",
                     "print CSV instead of the table");
  }
  int run() override { return doctor(printed_); }

 private:
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> doctor_command() {
  return std::make_unique<Doctor>();
}

}  // namespace kjoule
