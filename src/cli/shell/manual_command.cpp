#include <fmt/ranges.h>

#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/shell/command_words.hpp"
#include "cli/shell/manual_page.hpp"

namespace kjoule {

namespace {

/// The command `kjoule manual`.
class Manual final : public Command {
 public:
  std::string name() const override { return "manual"; }
  std::string help() const override {
    return "prints the manual page of kjoule or of a command, in the format that man reads";
  }
  std::string example() const override { return "kjoule manual power log"; }
  void declare(CLI::App& app) override {
    app_ = &app;
    CLI::Option* words =
        app.add_option("command", words_, "the command, such as power log; default: kjoule itself");
    app.add_flag("--list", list_, "list the commands, and exit")->excludes(words);
  }
  int run() override {
    const CLI::App& kjoule = *app_->get_parent();
    if (list_) return print_list(kjoule);
    const CLI::App* command = find_command(kjoule, words_);
    if (command == nullptr)
      throw UsageError(fmt::format("{}: no such command", fmt::join(words_, " ")),
                       "kjoule manual --list lists the commands");
    print_text(manual_page(*command));
    return 0;
  }

 private:
  static int print_list(const CLI::App& kjoule) {
    for (const CommandWords& command : command_words(kjoule))
      if (!command.path.empty()) print_output("{}\n", command.path);
    return 0;
  }

  const CLI::App* app_ = nullptr;
  std::vector<std::string> words_;
  bool list_ = false;
};

}  // namespace

std::unique_ptr<Command> manual_command() {
  return std::make_unique<Manual>();
}

}  // namespace kjoule
