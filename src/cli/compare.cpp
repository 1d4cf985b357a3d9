#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "base/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/allowed_operators.hpp"
#include "cli/check_exit_code.hpp"
#include "cli/command.hpp"
#include "cli/comparison_screen.hpp"
#include "cli/confirmation.hpp"
#include "cli/energy_arguments.hpp"
#include "cli/full_names_option.hpp"
#include "cli/numbers.hpp"
#include "cli/own_log.hpp"
#include "cli/pause_notice.hpp"
#include "cli/phase_measurement.hpp"
#include "cli/printed.hpp"
#include "cli/replay_arguments.hpp"
#include "cli/rules_option.hpp"
#include "cli/run_arguments.hpp"
#include "cli/share.hpp"
#include "cli/subject_arguments.hpp"
#include "cli/timeline_files.hpp"
#include "cli/whole_run.hpp"
#include "compare/measured_comparison.hpp"
#include "report/console.hpp"
#include "report/isolated_timing.hpp"
#include "report/json_reports.hpp"
#include "report/phase_reports.hpp"
#include "report/shortened.hpp"
#include "run/measured_run.hpp"
#include "run/program_power.hpp"

namespace kjoule {

namespace {

/// Kernels that are shown where --top does not say how many.
constexpr int kOnFirstScreen = 5, kInDetails = 20;
constexpr size_t kProgramWidth = 40;

class Compare final : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string help() const override {
    return "checks whether a program's kernels add up to its iteration, in time and energy";
  }
  std::string example() const override { return "kjoule compare --model bloom.pt --seq-len 32 --threads 1"; }
  std::vector<TableColumns> tables() const override {
    std::vector<TableColumns> tables = comparison_columns();
    for (TableColumns& table : run_columns()) tables.push_back(std::move(table));
    tables.push_back(phase_columns());
    tables.push_back(energy_columns());
    return tables;
  }

  void declare(CLI::App& app) override {
    // The program ends when it was measured: it must not be in one of many short loops.
    subject_.injection.loop_s = 20;
    subject_.declare(app);
    run_.declare_runs(app);
    run_.declare_items(app);
    run_.declare_folder(app);
    app.add_option("--precision", precision_,
                   "measure until the half-width of the sum's 95 % interval is below this share of the whole")
        ->capture_default_str();
    app.add_option("--time-limit", rounds_.time_limit_s,
                   "longest time in seconds for measuring the kernels in context; default: 10 on a CPU, 1.5 "
                   "to 15 on a GPU (longer for longer iterations). If the program ends before an iteration "
                   "is found: longest time for all phases of its run together; default: 30, of which each "
                   "phase gets at most 4 s plus 30 of its iterations")
        ->check(above_zero());
    declare_starts(app);
    app.add_flag(
        "--check", check_,
        "exit with code 3 if the sum does not add up to the whole, with 4 if the result is inconclusive, and "
        "with 5 if less than 95 % of the GPU time of a program that ends was replayed");
    app.add_option("--top", top_, "number of kernels to show; default: 5, or 20 with -v and in JSON")
        ->check(at_least(0));
    app.add_flag("-v,--verbose", verbose_,
                 "also print all checks, and tables of times and energies by kernel");
    full_names_.declare(app);
    timeline_.declare(app);
    replay_.declare(app);
    declare_allowed_operators(app, subject_.allowed_operators)->needs(app.get_option("--kernels"));
    rules_.declare(app);
    energy_.declare(app);
    energy_.declare_block(
        app,
        "repeat the whole, each of the largest kernels, and on a CPU the others together for at least "
        "this many seconds each, for a power log; default: as long as 10 readings of the "
        "meter that --power-source or --power-log names, otherwise no blocks");
    energy_.declare_block_kernels(app);
    energy_.declare_align(app);
    printed_.declare(app, "print comparison_report.json instead of the table",
                     "print the kernels as CSV instead of the table");
    for_started_.push_back(app.get_option("--kernels"));
  }

  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }
  std::string way_on() const override { return run_.way_on(); }
  int run() override {
    if (subject_.attach.is_given())
      refuse_given(for_started_, "on a program that is already running",
                   "omit it, or let kjoule start the program");
    rounds_.precision = share(precision_, "--precision");
    subject_.take_recorded_code();
    const EnergyOptions energy{share(energy_.precision, "--energy-precision"), energy_.time_limit_s};
    timeline_.refuse_wrong_names();
    KernelRules rules = rules_.read();
    if (replay_.asked()) read_table(rules);
    run_.refuse_folder();
    if (run_.asks_for_runs()) subject_.injection.timed_iterations = run_.warmup + run_.runs;
    const TemporaryFolder log;
    std::optional<RunEnergyMeter> meter;  // of the whole run, should that be reported
    // A report of the whole run would not answer whether the program does what was recorded.
    if (!subject_.program.empty() && subject_.recording.empty()) {
      subject_.injection.run_log = log.path();
      if (energy_.off)
        meter.emplace("--no-energy was given");
      else
        meter.emplace();
    }
    const RepeatedInput input(STDIN_FILENO);
    const auto started = std::chrono::steady_clock::now();
    try {
      return measure(rules, energy);
    } catch (const EndedError& error) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
      auto whole = whole_run(log.path(), meter);
      if (!whole) throw;
      return answer_ended(*std::move(whole), seconds.count(), input, error, rules, energy);
    } catch (const WriteError&) {
      throw;
    } catch (const Error& error) {
      // An error of another kind, in a file or an option, has nothing to do with the program.
      if (is_recorded_ && dynamic_cast<const DeviceError*>(&error) == nullptr) throw;
      const auto whole = whole_run(log.path(), meter);
      if (!whole) throw;
      return answer_refused(*whole, error, rules);
    }
  }

 private:
  /// Declares the options for programs that kjoule starts, more than once if they end.
  void declare_starts(CLI::App& app) {
    const CLI::Option* starts =
        app.add_option("--starts", starts_,
                       "number of starts of the program; the sum from the first start is compared with the "
                       "whole of every other start")
            ->capture_default_str()
            ->check(at_least(1));
    const CLI::Option* once = app.add_flag("--once", once_,
                                           "start the program only once: if it ends before an iteration is "
                                           "found, do not start it again to measure the phases of its run");
    const CLI::Option* energy_phases =
        app.add_option("--energy-phases", energy_phases_,
                       "number of phases whose kernels' energy is measured, if the program ends before an "
                       "iteration is found; the longest phases come first")
            ->capture_default_str()
            ->check(at_least(0));
    subject_.for_programs.insert(subject_.for_programs.end(), {once, energy_phases});
    for_started_ = {starts, once, energy_phases};
  }

  int measure(KernelRules& rules, const EnergyOptions& energy) {
    const SubjectOptions& options = subject_.checked();
    std::optional<ProgramPower> power;
    if (!options.program.empty() && !energy_.off && !energy_.asked()) power.emplace();
    if (!options.program.empty())
      print_error("starting {}; it is ended as soon as one of its iterations has been measured\n",
                  shortened(shell_text(options.program), kProgramWidth));
    Subject subject = open_recordable_subject(options);
    timeline_.refuse_without_timeline(subject.device->info());
    EnergyMeters meters = open_energy_meters(subject, energy_);
    run_.least_s = meters.block_s;
    MeasuredRun run("compare", subject, run_);
    folder_is_ours_ = true;
    take_facts(meters);
    if (!meters.ask_the_gpu()) run.log_power(meters);
    run.time_and_record();
    if (power) run.own_power(*power, options.injection.loop_s);
    is_recorded_ = true;
    const bool with_energy = !energy_.off && !meters.meters.empty();
    if (subject_.is_program())
      print_error("{}\n", pause_notice(run.recording(), rounds_, with_energy ? &energy : nullptr));
    ComparisonScreen screen = new_screen();
    measure_iteration(run, rounds_, meters, energy_.off ? nullptr : &energy, rules,
                      printed_.as_text() ? &screen : nullptr);
    if (subject_.attach.is_given()) let_go(subject);
    if (!subject_.program.empty() && run_.resume.empty()) {
      subject.close();  // the log is complete when the program has ended
      if (const auto spread = read_iteration_spread(options.injection.run_log, run.recording()))
        run.once<LoopSpread>([&] { return LoopSpread{*spread}; });
    }
    if (starts_ > 1 || replay_.asked()) subject.close();
    run.other_starts(starts_ - 1, [&] { return open_recordable_subject(options); });
    return report(run, rules, screen);
  }

  /// Lets a running program go on.
  static void let_go(Subject& subject) {
    const std::string why = subject.device->leave();
    if (why.empty())
      print_error("the program continues\n");
    else
      print_error("warning: the program was ended, because it cannot continue: {}\n", why);
    subject.close();
  }

  /// Remembers the meter whose readings are logged.
  void take_facts(const EnergyMeters& meters) {
    if (!meters.meters.empty() && meters.block_s > 0) logged_ = meters.meters.back()->facts();
  }

  /// Measures the recorded iteration; without `energy` not its energy in context. Energy takes most of the
  /// time, so the times are printed before it, unless there is no screen.
  void measure_iteration(MeasuredRun& run, const RoundOptions& rounds, EnergyMeters& meters,
                         const EnergyOptions* energy, KernelRules& rules, ComparisonScreen* screen) const {
    // First, because it times the whole before anything else exists on the device.
    run.rounds(rounds);
    const bool is_printed = screen != nullptr && !meters.meters.empty();
    if (is_printed) screen->print_times(comparison_of(run.recording(), run.rows(), rules));
    // On a CPU, the energy of kernels is only known from their blocks.
    if (energy != nullptr && (meters.block_s <= 0 || run.can_leave_out_kernels())) {
      run.energy(meters, *energy);
      if (is_printed) screen->print_energy(comparison_of(run.recording(), run.rows(), rules));
    }
    run.overlapped();
    run.observe();
    run.isolated();
    run.meter_blocks(meters, energy_.block_kernels);
    if (energy_.align) run.play_load(meters);
    run.end_power(meters);
  }

  /// Returns what the program did on the device; nothing if that is not known.
  std::optional<WholeRun> whole_run(const std::filesystem::path& log,
                                    std::optional<RunEnergyMeter>& meter) const {
    if (!meter) return {};
    meter->stop();
    std::optional<ObservedProgram> observed = read_observed_program(log, subject_.injection, *meter);
    if (!observed || observed->log.operations.empty()) return {};
    return WholeRun(subject_.program, *std::move(observed));
  }

  /// Answers for a program that was ended because its iteration could not be recorded or measured, or that
  /// crashed: with its run until then.
  int answer_refused(const WholeRun& whole, const Error& error, KernelRules& rules) {
    write_whole_run(whole, rules);
    print_whole_run(whole, rules);
    whole.write_timeline(timeline_, rules, full_names_.style());
    print_error(
        "no iteration was measured{}; the report shows the run until then, with times from the profiler. "
        "Reason: {}\n",
        is_recorded_ ? " completely" : "", error.line());
    const auto* device = dynamic_cast<const DeviceError*>(&error);
    if (is_recorded_ || (device != nullptr && device->lost)) return 1;
    return check_ ? check_exit_code(Verdict::inconclusive) : 0;
  }

  /// Answers for a program that ended by itself after so many seconds: with further starts, or with its whole
  /// run alone.
  int answer_ended(WholeRun whole, double seconds, const RepeatedInput& input, const EndedError& error,
                   KernelRules& rules, const EnergyOptions& energy) {
    write_whole_run(whole, rules);
    if (printed_.as_text()) print_whole_run(whole, rules);
    if (const auto run = measure_phases(whole, error, seconds, input, rules, energy)) {
      whole.add(*run);
      write_whole_run(whole, rules);
      print_run_comparison(whole, *run, rules);
      if (run->measured.empty()) whole.write_timeline(timeline_, rules, full_names_.style());
      return check_ ? check_exit_code(*run) : 0;
    }
    if (!printed_.as_text()) print_whole_run(whole, rules);
    whole.write_timeline(timeline_, rules, full_names_.style());
    print_error(
        "no iteration was measured; the report has the profiler's times of the whole run. Reason: {}\n",
        error.line());
    if (error.exit_code != 0) return 1;
    return check_ ? check_exit_code(Verdict::inconclusive) : 0;
  }

  /// Prints the result of a run whose own report was printed, if it is text.
  void print_run_comparison(const WholeRun& whole, const RunComparison& run, KernelRules& rules) const {
    if (!printed_.as_text()) return print_whole_run(whole, rules);
    print_text(run_comparison_text(run) + fmt::format("results in {}\n", run_.folder()));
  }

  void write_whole_run(const WholeRun& whole, KernelRules& rules) {
    std::optional<FileLock> folder;
    if (!folder_is_ours_) folder.emplace(run_.claim());
    folder_is_ours_ = true;
    whole.write(run_.folder(), rules);
  }
  void print_whole_run(const WholeRun& whole, KernelRules& rules) const {
    whole.print(printed_, rules, most_kernels(kInDetails), full_names_.style(), run_.folder());
  }

  /// Measures the phases of a program that ended before an iteration was recorded; nothing, and says why, if
  /// none is to be measured.
  std::optional<RunComparison> measure_phases(const WholeRun& whole, const EndedError& error, double seconds,
                                              const RepeatedInput& input, KernelRules& rules,
                                              const EnergyOptions& energy) {
    if (error.exit_code != 0 || subject_.selects_iteration()) return {};
    PhaseChoice choice = whole.phases(budget());
    if (const std::string why = why_not_again(whole, choice, seconds, input); !why.empty()) {
      print_error("no phase of the run is measured by replay: {}\n", why);
      return {};
    }
    const auto log = std::filesystem::path(run_.folder()) / "further_starts.log";
    print_error(
        "starting {} again to measure {} of its phases, first {}; its output is written to {} (--once "
        "prevents further starts)\n",
        whole.name(), choice.measured.size(), part_text(choice.measured.front().facts), log.string());
    PhaseMeasurement phases(std::move(choice), subject_, input, log,
                            [&](const ChosenPhase& phase, Subject& subject, Recording recording,
                                const PhaseMeasurement::StartAgain& again) {
                              return measure_phase(phase, subject, std::move(recording), again, rules,
                                                   energy);
                            });
    RunComparison run = phases.measure();
    if (run.measured.empty() && !run.left.empty())
      print_error("no phase of the run was measured by replay: {}\n", run.left.front().why);
    return run;
  }

  PhaseBudget budget() const {
    PhaseBudget budget;
    if (rounds_.time_limit_s > 0) budget.time_limit_s = rounds_.time_limit_s;
    return budget;
  }

  /// Returns why the program is not started again to measure its phases; empty if it is.
  std::string why_not_again(const WholeRun& whole, const PhaseChoice& choice, double seconds,
                            const RepeatedInput& input) const {
    if (choice.measured.empty())
      return choice.left.empty() ? "it has no phase with kernels"
                                 : "the longest one is left out, because " + choice.left.front().why;
    if (once_) return "--once";
    return hindrance({seconds, whole.other_processes(), input.is_gone()});
  }

  /// Measures a phase whose iteration was recorded.
  MeasuredPhase measure_phase(const ChosenPhase& phase, Subject& subject, Recording recording,
                              const PhaseMeasurement::StartAgain& again, KernelRules& rules,
                              const EnergyOptions& energy) {
    const uint32_t number = phase.pattern.number;
    const bool is_largest = number == 1;
    const std::string name = fmt::format("phase_{}", number);
    const bool with_energy = !energy_.off && number <= static_cast<uint32_t>(energy_phases_);
    EnergyMeterOptions options = energy_;
    options.off = !with_energy;
    if (number > static_cast<uint32_t>(energy_phases_)) options.block_s.reset();
    EnergyMeters meters = open_energy_meters(subject, options);
    take_facts(meters);
    MeasuredRun run("compare", subject, run_.within(name));
    run.record(std::move(recording));
    run.program_iterations();
    is_recorded_ = true;
    run.once<MeasuredPart>([&] { return MeasuredPart{phase.facts}; });
    ComparisonScreen screen = new_screen();
    const bool is_printed = is_largest && printed_.as_text();
    measure_iteration(run, {rounds_.precision, measuring_s(phase.facts)}, meters,
                      with_energy ? &energy : nullptr, rules, is_printed ? &screen : nullptr);
    if (is_largest && (starts_ > 1 || replay_.asked())) subject.close();
    if (is_largest) run.other_starts(starts_ - 1, again);
    const Comparison comparison = write_report(run, rules, is_largest);
    const auto log = with_energy ? energies_in_log(run) : std::nullopt;
    if (is_printed) {
      screen.print_rest(comparison);
      print_text(text_of(log));
    }
    if (is_largest) write_timeline(run);
    return {number, name, comparison};
  }

  /// Reads the table of --kernels. A number in --iterations applies to the table, a span of launches to the
  /// program.
  void read_table(KernelRules& rules) {
    if (subject_.iterations.find("..") == std::string::npos)
      replay_.import.take(subject_.take_iterations(), {}, {});
    table_.emplace(replay_.read(rules, of_replay()));
    run_.refuse_folder();
    table_->try_calls(of_replay());
    // The whole and its sum can be measured without the replay.
    if (const std::string why = table_->nothing_replayable(); !why.empty())
      print_error("{}; everything else is measured\n", why);
  }

  /// Replays the table. If that fails, the earlier measurements are still reported.
  ReplayedTable replayed(KernelRules& rules) {
    if (const std::string why = table_->nothing_replayable(); !why.empty()) return table_->failed_table(why);
    try {
      const RunOptions folder = run_.within("replay");
      const ReplayedTable replayed = table_->run(of_replay(), folder, rules);
      write_replay_files(folder.folder(), table_->header(), replayed);
      return replayed;
    } catch (const WriteError&) {
      throw;
    } catch (const Error& error) {
      return table_->failed_table(error.line());
    }
  }

  /// Returns the options of the replay. It runs on CUDA if a program is measured, because programs run on
  /// CUDA, too.
  SubjectOptions of_replay() const {
    SubjectOptions options = subject_;
    if (!options.program.empty()) options.device = "cuda";
    return options;
  }

  /// Writes the files of a measured iteration; with the replay of --kernels only if it is compared with that.
  Comparison write_report(MeasuredRun& run, KernelRules& rules, bool with_table) {
    std::optional<ReplayedTable> table;
    if (with_table && replay_.asked()) table = replayed(rules);
    Comparison comparison = comparison_of(run.recording(), run.rows(), rules, table);
    auto full = full_model_timing(comparison.run, comparison.program_iterations);
    auto isolated = isolated_kernels_timing(comparison.run, isolated_results(run.table(), run.rows(), rules),
                                            run.rows().all<TimestampedMeterBlock>(), &comparison);
    if (const auto played = run.rows().first<PlayedLoad>())
      full["load_pattern"] = isolated["load_pattern"] = load_pattern_json(*played);
    write_json(run.folder() / "full_model_timing.json", full);
    write_json(run.folder() / "isolated_kernels_timing.json", isolated);
    write_json(run.folder() / "comparison_report.json",
               comparison_report(comparison, most_kernels(kInDetails)));
    write_atomic(run.folder() / "summary.csv", kernels_csv(comparison.kernels));
    return comparison;
  }

  int report(MeasuredRun& run, KernelRules& rules, ComparisonScreen& screen) {
    const Comparison comparison = write_report(run, rules, true);
    const auto log = energies_in_log(run);
    printed_.print([&] { return comparison_report(comparison, most_kernels(kInDetails)); },
                   [&] { return kernels_csv(comparison.kernels); },
                   [&] {
                     screen.print_rest(comparison);
                     return fmt::format("{}results in {}{}\n", text_of(log), run.folder().string(),
                                        verbose_ ? "" : "; -v prints all checks and more kernels");
                   });
    write_timeline(run);
    if (!printed_.as_text())
      for (const std::string& finding : comparison.findings) print_error("warning: {}\n", finding);
    return check_ ? check_exit_code(comparison.judgement.verdict) : 0;
  }

  size_t most_kernels(int otherwise) const { return static_cast<size_t>(top_.value_or(otherwise)); }
  ComparisonScreen new_screen() const {
    return ComparisonScreen(
        {most_kernels(kOnFirstScreen), most_kernels(kInDetails), verbose_, full_names_.style()});
  }

  /// Returns the energies of the blocks in the log of the run, if a meter was logged.
  std::optional<LogEnergies> energies_in_log(const MeasuredRun& run) const {
    return logged_ ? integrate_own_logs(run.folder(), *logged_) : std::nullopt;
  }

  std::string text_of(const std::optional<LogEnergies>& log) const {
    if (!log) return "";
    return "\n" + energy_text(*log, most_kernels(kInDetails), full_names_.style()) + "\n";
  }

  /// Writes the timelines that were asked for. Call it last, so that nothing is lost if it fails.
  void write_timeline(const MeasuredRun& run) const {
    if (!timeline_.asked()) return;
    const std::optional<Observation> seen = observation_in(run.rows());
    if (seen)
      timeline_.write(make_timeline(run_header(run.rows()).at("title"), run.recording(), seen->iteration),
                      full_names_.style());
  }

  SubjectArguments subject_;
  Options for_started_;  ///< that have no effect on a program that runs already
  RunArguments run_;
  RoundOptions rounds_;
  std::string precision_ = "0.25%";
  int starts_ = 1;
  FullNamesOption full_names_;
  std::optional<int> top_;
  bool verbose_ = false;
  bool check_ = false;
  bool once_ = false;
  int energy_phases_ = 1;
  bool is_recorded_ = false;     ///< whether an iteration was recorded, in this or an earlier start
  bool folder_is_ours_ = false;  ///< whether the results folder was claimed
  TimelineFiles timeline_;
  ReplayArguments replay_;
  std::optional<SignatureReplay> table_;  ///< table of --kernels
  RulesOption rules_;
  EnergyArguments energy_;
  std::optional<MeterFacts> logged_;  ///< the meter that is logged for blocks
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> compare_command() {
  return std::make_unique<Compare>();
}

}  // namespace kjoule
