#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/shell/completions.hpp"

namespace kjoule {

namespace {

/// The command `kjoule completion`.
class Completion final : public Command {
 public:
  std::string name() const override { return "completion"; }
  std::string help() const override {
    return "prints a script for a shell (bash, zsh or fish), with which the shell completes kjoule's "
           "commands "
           "and options";
  }
  std::string example() const override { return "kjoule completion bash"; }
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option("shell", shell_, "the shell: bash, zsh or fish")->required();
  }
  int run() override {
    print_text(script_for(shell_)(command_words(*app_->get_parent())));
    return 0;
  }

 private:
  using Script = std::string (*)(const std::vector<CommandWords>&);

  static Script script_for(const std::string& shell) {
    if (shell == "bash") return bash_completion;
    if (shell == "zsh") return zsh_completion;
    if (shell == "fish") return fish_completion;
    throw UsageError(shell + ": no script for this shell", "use bash, zsh or fish");
  }

  const CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> completion_command() {
  return std::make_unique<Completion>();
}

}  // namespace kjoule
