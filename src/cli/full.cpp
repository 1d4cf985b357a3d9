#include <fmt/format.h>

#include <type_traits>

#include "base/files.hpp"
#include "cli/command.hpp"
#include "cli/printed.hpp"
#include "cli/run_arguments.hpp"
#include "cli/subject_arguments.hpp"
#include "report/console.hpp"
#include "report/json_reports.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

class Full final : public Command {
 public:
  std::string name() const override { return "full"; }
  std::string help() const override {
    return "times the program's own iterations, without replaying kernels";
  }
  std::string example() const override {
    return "kjoule full --model bloom.pt --warmup 10 --runs 100 --seq-len 5 --batch 1 --threads 2";
  }
  std::vector<TableColumns> tables() const override {
    return {{"the statistics of the timed iterations",
             {{"mean us", "mean time of one iteration"},
              {"std error us", "standard error of the mean"},
              {"median us", "median time"},
              {"min us", "shortest time"},
              {"max us", "longest time"},
              {"p95 us", "time that 95 % of the iterations do not exceed"}}}};
  }
  void declare(CLI::App& app) override {
    subject_.declare(app);
    run_.declare_runs(app);
    run_.declare_folder(app);
    printed_.declare(app, "print full_model_timing.json instead of the table",
                     "print the statistics as CSV instead of the table");
  }
  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }
  std::string way_on() const override { return run_.way_on(); }
  int run() override {
    run_.refuse_folder();
    // The program continues, because no replay needs its memory.
    subject_.injection.after = InjectionOptions::After::run_on;
    subject_.injection.timed_iterations = run_.warmup + run_.runs;
    Subject subject = unless_it_ends([&] { return open_subject(subject_.checked()); });
    MeasuredRun run("full", subject, run_);
    const ProgramIterations full = unless_it_ends([&] { return run.program_iterations(); });
    if (full.run_s.empty())
      throw Error("no iteration was timed",
                  "with --skip-iterations N, N iterations are timed before the recorded one");
    const nlohmann::json header = run_header(run.rows());
    const auto timing = full_model_timing(header, full);
    write_json(run.folder() / "full_model_timing.json", timing);
    printed_.print(
        [&] { return timing; }, [&] { return full_csv(full); },
        [&] { return fmt::format("{}results in {}\n", full_text(header, full), run.folder().string()); });
    return 0;
  }

 private:
  /// Runs a step. If the program ends during it, before or after kjoule has connected to it, adds a remedy to
  /// the error.
  template <class Step>
  std::invoke_result_t<Step> unless_it_ends(const Step& step) const {
    try {
      return step();
    } catch (const EndedError& error) {
      throw Error(
          error.what(),
          fmt::format(
              "if it runs fewer than {} iterations, choose smaller numbers with --warmup and --runs; {}",
              run_.warmup + run_.runs, error.remedy()));
    }
  }

  SubjectArguments subject_;
  RunArguments run_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> full_command() {
  return std::make_unique<Full>();
}

}  // namespace kjoule
