#include <chrono>
#include <future>

#include "base/process/interruption.hpp"
#include "base/process/process.hpp"
#include "cli/options/command.hpp"
#include "run/python.hpp"

namespace kjoule {

namespace {

/// The command `kjoule export`. It passes all words after "export" to a Python program, which also prints its
/// help.
class Export final : public Command {
 public:
  std::string name() const override { return "export"; }
  std::string help() const override {
    return "exports a model for kjoule: a language model (bloom, gpt2, opt), an image network (resnet50, "
           "efficientnet-b0, ...), or a model of the Hugging Face hub (OWNER/NAME)";
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
  /// Returns what an interrupted command reports about its file, which exists only if the Python program has
  /// ended without an error.
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
