#include <utility>

#include "cli/command.hpp"

namespace kjoule {

namespace {

/// Commands of their own under one word.
class Predict final : public Command {
 public:
  Predict() {
    parts_.push_back(predict_operator_command());
    parts_.push_back(predict_step_command());
    parts_.push_back(list_examples_command());
    parts_.push_back(show_example_command());
  }
  std::string name() const override { return "predict"; }
  std::string help() const override { return "time of operators and training steps that were never run"; }
  std::string example() const override { return "kjoule predict step llemma_7b_4_2_2_P"; }
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

std::unique_ptr<Command> predict_command() {
  return std::make_unique<Predict>();
}

}  // namespace kjoule
