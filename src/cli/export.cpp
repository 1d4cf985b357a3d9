#include <chrono>
#include <future>

#include "base/process/interruption.hpp"
#include "base/process/process.hpp"
#include "cli/options/command.hpp"
#include "run/python.hpp"

namespace kjoule {

namespace {

/// Passes all words after "export" to the Python program, which also prints the command's --help.
class Export final : public Command {
 public:
  std::string name() const override { return "export"; }
  std::string help() const override {
    return "exports a model for kjoule: a language model (bloom, gpt2, opt), a network for pictures "
           "(resnet50, "
           "efficientnet-b0, ...), or a name on the Hugging Face hub";
  }
  std::string example() const override {
    return "kjoule export bloom -o bloom.pt --layers 6 --hidden 512 --seq-len 32";
  }
  void declare(CLI::App& app) override {
    app.set_help_flag();
    app.allow_extras();
    app.prefix_command();
    app_ = &app;
  }
  int run() override {
    std::vector<std::string> command = python_command("kjoule_export");
    for (const std::string& argument : app_->remaining()) command.push_back(argument);
    std::promise<int> ended;
    const std::shared_future<int> code = ended.get_future().share();
    const KeptNote note([code] { return kept_text(code); });
    ended.set_value(run_program(command));
    return code.get();
  }

 private:
  /// Returns what is kept when the command is interrupted. The file is put in place as the last step.
  static std::string kept_text(const std::shared_future<int>& code) {
    const bool is_known = code.wait_for(std::chrono::seconds(1)) == std::future_status::ready;
    return is_known && code.get() == 0 ? "the file is complete" : "no file was written";
  }

  CLI::App* app_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> export_command() {
  return std::make_unique<Export>();
}

}  // namespace kjoule
