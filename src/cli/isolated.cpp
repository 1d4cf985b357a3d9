#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/allowed_operators.hpp"
#include "cli/options/command.hpp"
#include "cli/options/energy_arguments.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/replay_arguments.hpp"
#include "cli/options/rules_option.hpp"
#include "cli/options/run_arguments.hpp"
#include "cli/options/subject_arguments.hpp"
#include "cli/power/own_log.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "report/console.hpp"
#include "report/energy_columns.hpp"
#include "report/isolated_timing.hpp"
#include "report/json_reports.hpp"
#include "report/replay_columns.hpp"
#include "report/replay_reports.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

class Isolated final : public Command {
 public:
  std::string name() const override { return "isolated"; }
  std::string help() const override { return "times each kernel in isolation, repeated back to back"; }
  std::string example() const override { return "kjoule isolated --kernels trace.json.gz"; }
  std::vector<TableColumns> tables() const override {
    return {isolated_columns(), replay_columns(), energy_columns()};
  }
  void declare(CLI::App& app) override {
    subject_.declare(app);
    replay_.declare(app);
    declare_allowed_operators(app, subject_.allowed_operators)->needs(app.get_option("--kernels"));
    rules_.declare(app);
    run_.declare_folder(app);
    meter_.declare_meter(app);
    meter_.declare_block(app,
                         "shortest time in seconds for which the whole iteration and each of the largest "
                         "kernels (on a CPU also the other kernels together) are repeated, so that a power "
                         "log has enough readings; default: 10 readings of the meter that --power-source or "
                         "--power-log names; without a meter, they are not repeated");
    meter_.declare_block_kernels(app);
    meter_.declare_align(app);
    app.add_option("--top", top_, "number of kernels to show")
        ->capture_default_str()
        ->check(whole_number(0, kMostShown));
    full_names_.declare(app);
    printed_.declare(app, "print isolated_kernels_timing.json instead of the table",
                     "print the kernels as CSV instead of the table");
  }
  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }
  std::string way_on() const override { return run_.way_on(); }
  int run() override {
    if (replay_.asked()) return run_table();
    run_.refuse_folder();
    subject_.streams = printed_.program_streams();
    Subject subject = open_recordable_subject(subject_.checked());
    if (!meter_.asked()) {
      refuse_given(meter_.of_meters, "without a power meter", "choose one with --power-source, or omit it");
      if (!meter_.block_s)
        refuse_given({meter_.block_kernels_option}, "without a power meter or --block",
                     "choose a meter with --power-source, or omit it");
      meter_.off = true;  // measures times only, unless a meter is named
    }
    EnergyMeters meters = open_energy_meters(subject, meter_);
    MeasuredRun run("isolated", subject, run_);
    run.record();
    run.isolated();
    std::optional<MeterFacts> logged;
    if (!meters.meters.empty()) logged = meters.meters.back()->facts();
    run.meter_blocks(meters, meter_.block_kernels);
    run.meter_differences(meters, meter_.block_kernels);
    if (meter_.align) run.play_load(meters);
    run.end_power(meters);
    KernelRules rules = rules_.read();
    const std::vector<KernelResult> kernels = isolated_results(run.table(), run.rows(), rules);
    auto timing = isolated_kernels_timing(run_header(run.rows()), kernels, run.rows());
    if (const auto played = run.rows().first<PlayedLoad>())
      timing["load_pattern"] = load_pattern_json(*played);
    timing["power_meter"] = power_meter_json(logged);
    write_json(run.folder() / "isolated_kernels_timing.json", timing);
    const auto log = logged ? integrate_own_logs(run.folder(), *logged) : std::nullopt;
    const auto top = static_cast<size_t>(top_);
    printed_.print([&] { return timing; }, [&] { return kernels_csv(kernels); },
                   [&] {
                     return fmt::format("{}{}results in {}\n",
                                        isolated_text(kernels, top, full_names_.style()),
                                        log ? "\n" + energy_text(*log, top, full_names_.style()) + "\n" : "",
                                        run.folder().string());
                   });
    int code = 0;
    for (const KernelResult& kernel : kernels) {
      if (kernel.error.empty()) continue;
      print_error("kjoule: {} (x{}) could not be replayed: {}\n", kernel.name, kernel.count, kernel.error);
      code = 1;
    }
    return code;
  }

 private:
  int run_table() {
    for (const Options& options : {meter_.of_meters, meter_.of_blocks})
      refuse_given(options, "when the kernels of a table are replayed (--kernels)",
                   "omit it, or give the program or model instead of --kernels");
    subject_.refuse_search("on the kernels of a table (--kernels)");
    if (subject_.model.empty())
      refuse_given(subject_.of_inputs, "on a table, whose kernels have their own inputs",
                   "omit it, or supply shapes with --model M");
    if (subject_.is_program() || !subject_.recording.empty())
      throw UsageError(
          "--kernels was given with a program or recording, but only one of them can be replayed in "
          "isolation",
          "omit one of them, or use kjoule compare, which accepts both");
    KernelRules rules = rules_.read();
    replay_.import.take(subject_.iterations, subject_.injection.gpu, subject_.injection.rank);
    SignatureReplay replay = replay_.read(rules, subject_);
    run_.refuse_folder();
    tell_cpu_notice(replay, subject_);
    replay.try_calls(subject_);
    if (const std::string why = replay.nothing_replayable(); !why.empty()) throw Error(why);
    const ReplayedTable table = replay.run(subject_, run_, rules);
    write_replay_files(run_.folder(), replay.header(), table);
    printed_.print([&] { return replay_timing(replay.header(), table); }, [&] { return replay_csv(table); },
                   [&] {
                     return fmt::format("{}results in {}\n",
                                        replay_text(table, static_cast<size_t>(top_), full_names_.style()),
                                        run_.folder());
                   });
    return replay_exit_code(table);
  }

  SubjectArguments subject_;
  ReplayArguments replay_;
  RulesOption rules_;
  RunArguments run_;
  MeterArguments meter_;
  FullNamesOption full_names_;
  int top_ = 20;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> isolated_command() {
  return std::make_unique<Isolated>();
}

}  // namespace kjoule
