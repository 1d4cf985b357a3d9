#include <fmt/format.h>

#include <type_traits>

#include "base/files/files.hpp"
#include "cli/options/command.hpp"
#include "cli/options/energy_arguments.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/run_arguments.hpp"
#include "cli/options/subject_arguments.hpp"
#include "cli/power/own_log.hpp"
#include "report/console.hpp"
#include "report/isolated_timing.hpp"
#include "report/json_reports.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

class Full final : public Command {
 public:
  std::string name() const override { return "full"; }
  std::string help() const override {
    return "times whole iterations as the program runs them, without replaying kernels";
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
    run_.declare_items(app);
    run_.declare_folder(app);
    meter_.declare_meter(app);
    meter_.declare_block(app,
                         "shortest time in seconds for which a model is run repeatedly, so that a power log "
                         "has enough readings; default: 10 readings of the meter that --power-source or "
                         "--power-log names; without a meter, --runs decides");
    meter_.declare_align(app);
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
    subject_.streams = printed_.program_streams();
    Subject subject = unless_it_ends([&] { return open_subject(subject_.checked()); });
    if (meter_.align && !subject.device->info().runs_program)
      throw UsageError(
          "--align: kjoule full cannot run the load pattern, because it does not pause the program",
          "use kjoule compare --align, which pauses the program");
    EnergyMeters meters = open_meters(subject);
    run_.least_s = meters.block_s;
    if (meters.block_s > 0) run_.settle_s = meters.settle_s;
    MeasuredRun run("full", subject, run_);
    std::optional<MeterFacts> logged;
    if (!meters.meters.empty()) logged = meters.meters.back()->facts();
    run.log_power(meters);
    const ProgramIterations full = unless_it_ends([&] { return run.program_iterations(); });
    if (meter_.align) run.play_load(meters);
    run.end_power(meters);
    if (full.run_s.empty())
      throw Error(
          "no iteration was timed, because only the iterations before the recorded one are timed, and none "
          "was skipped",
          "repeat the command with --skip-iterations N, which skips and times N iterations");
    const nlohmann::json header = run_header(run.rows());
    auto timing = full_model_timing(header, full);
    if (const auto played = run.rows().first<PlayedLoad>())
      timing["load_pattern"] = load_pattern_json(*played);
    timing["power_meter"] = power_meter_json(logged);
    write_json(run.folder() / "full_model_timing.json", timing);
    const auto log = logged ? integrate_own_logs(run.folder(), *logged) : std::nullopt;
    printed_.print([&] { return timing; }, [&] { return full_csv(full); },
                   [&] {
                     return fmt::format("{}{}results in {}\n", full_text(header, full),
                                        log ? energy_text(*log, 0) : "", run.folder().string());
                   });
    return 0;
  }

 private:
  /// Returns the meters that the user named; otherwise the power samples of the GPU, which are read without
  /// disturbing the program.
  EnergyMeters open_meters(const Subject& subject) {
    meter_.own_samples = true;
    if (!meter_.asked() && (subject.own_meters || meter_.align)) meter_.off = true;
    return open_energy_meters(subject, meter_);
  }

  /// Runs the step. If the program ends during the step, adds a remedy to the error.
  template <class Step>
  std::invoke_result_t<Step> unless_it_ends(const Step& step) const {
    try {
      return step();
    } catch (const EndedError& error) {
      throw Error(error.what(), fmt::format("if the program runs fewer than {} iterations, choose smaller "
                                            "numbers with --warmup and --runs; {}",
                                            run_.warmup + run_.runs, error.remedy()));
    }
  }

  SubjectArguments subject_;
  RunArguments run_;
  MeterArguments meter_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> full_command() {
  return std::make_unique<Full>();
}

}  // namespace kjoule
