#include "cli/options/command_group.hpp"

namespace kjoule {

std::unique_ptr<Command> predict_command() {
  std::vector<std::unique_ptr<Command>> parts;
  parts.push_back(predict_operator_command());
  parts.push_back(predict_step_command());
  parts.push_back(predict_model_command());
  parts.push_back(list_examples_command());
  parts.push_back(show_example_command());
  return std::make_unique<CommandGroup>(
      "predict", "predicts time and energy of operators, training steps and models that were never run",
      "kjoule predict step llemma_7b_4_2_2_P", std::move(parts));
}

}  // namespace kjoule
