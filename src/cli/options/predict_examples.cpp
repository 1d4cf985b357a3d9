#include <fmt/format.h>

#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {

namespace {

class ListExamples final : public Command {
 public:
  std::string name() const override { return "list-examples"; }
  std::string help() const override { return "lists the built-in training configurations"; }
  std::string example() const override { return "kjoule predict list-examples"; }
  void declare(CLI::App&) override {}
  int run() override {
    for (const auto& [name, text] : shipped_training_configurations()) print_output("{}\n", name);
    return 0;
  }
};

class ShowExample final : public Command {
 public:
  std::string name() const override { return "show-example"; }
  std::string help() const override {
    return "prints a built-in training configuration, as a template for your own";
  }
  std::string example() const override { return "kjoule predict show-example llemma_7b_4_2_2_P > mine.yml"; }
  void declare(CLI::App& app) override {
    app.add_option("name", name_, "name of a configuration (see kjoule predict list-examples)")->required();
  }
  int run() override {
    print_text(shipped_training(name_) + "\n");
    return 0;
  }

 private:
  std::string name_;
};

}  // namespace

std::unique_ptr<Command> list_examples_command() {
  return std::make_unique<ListExamples>();
}

std::unique_ptr<Command> show_example_command() {
  return std::make_unique<ShowExample>();
}

}  // namespace kjoule
