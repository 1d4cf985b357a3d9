#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/measured_run.hpp"
#include "cli/printed.hpp"
#include "report/console.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

class Kernels final : public Command {
 public:
  std::string name() const override { return "kernels"; }
  std::string help() const override { return "lists the unique kernels of a recording or a results folder"; }
  std::string example() const override { return "kjoule kernels results --csv"; }
  void declare(CLI::App& app) override {
    app.add_option("path", path_, "recording.jsonl, or a results folder");
    subject_.declare_program(app);
    app.add_option("--rules", rules_,
                   "file with rules of your own for tiers and categories (docs/formats.md)");
    printed_.declare(app, "print a JSON array instead of the table", "print CSV instead of the table");
    app.add_flag("--jsonl", jsonl_, "print one JSON object a line")->excludes("--json")->excludes("--csv");
  }
  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }
  int run() override {
    known_ = rules_.empty() ? KernelRules() : KernelRules::with(rules_);  // before a program runs in vain
    if (!subject_.program.empty()) return run_program();
    if (path_.empty())
      throw Error("no recording given", "kjoule kernels recording.jsonl, or kjoule kernels -- PROGRAM");
    const bool folder = fs::is_directory(path_);
    const Recording recording =
        read_recording(folder ? (fs::path(path_) / "recording.jsonl").string() : path_);
    show(results(kernel_table(recording), folder), recording.launches.size());
    return 0;
  }

 private:
  /// Listed when the program has ended, so that the two do not write into each other.
  int run_program() {
    if (!path_.empty()) throw Error(path_ + " and a program: only one of them can be listed", "give either");
    subject_.injection.after = InjectionOptions::After::run_on;
    Subject subject = open_subject(subject_);
    const Recording recording = subject.device->record();
    const int code = subject.run_to_end();
    show(isolated_results(kernel_table(recording), {}, *known_), recording.launches.size());
    return code;
  }

  void show(const std::vector<KernelResult>& kernels, size_t launches) const {
    if (printed_.csv)
      fmt::print("{}", kernels_csv(kernels));
    else if (printed_.json)
      fmt::print("{}\n", kernels_json(kernels).dump(2));
    else if (jsonl_)
      fmt::print("{}", kernels_jsonl(kernels));
    else
      fmt::print("{}", kernels_text(kernels, launches));
  }

  /// With the times that the folder holds, where it holds any.
  std::vector<KernelResult> results(const KernelTable& table, bool folder) const {
    const fs::path rows_file = fs::path(path_) / "results.jsonl";
    if (!folder || !fs::exists(rows_file)) return isolated_results(table, {}, *known_);
    const ResultRows rows = ResultRows::resume(rows_file);
    const auto rounds = std::count_if(rows.rows().begin(), rows.rows().end(),
                                      [](const auto& row) { return row.at("kind") == "round"; });
    return rounds < 2 ? isolated_results(table, rows.rows(), *known_)
                      : comparison_of(table, rows.rows(), *known_).kernels;
  }

  std::string path_, rules_;
  std::optional<KernelRules> known_;  ///< read when they are needed: kjoule starts in milliseconds
  SubjectOptions subject_;
  Printed printed_;
  bool jsonl_ = false;
};

}  // namespace

std::unique_ptr<Command> kernels_command() {
  return std::make_unique<Kernels>();
}

}  // namespace kjoule
