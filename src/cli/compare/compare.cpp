#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/bug_remedy.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/compare/check_exit_code.hpp"
#include "cli/compare/ended_program.hpp"
#include "cli/compare/iteration_measurement.hpp"
#include "cli/compare/pause_notice.hpp"
#include "cli/compare/rank_measurement.hpp"
#include "cli/options/command.hpp"
#include "cli/options/confirmation.hpp"
#include "cli/options/share.hpp"
#include "report/collective_reports.hpp"
#include "report/console.hpp"
#include "report/energy_columns.hpp"
#include "report/json_reports.hpp"
#include "report/phase_reports.hpp"
#include "report/rank_energy_reports.hpp"
#include "report/rank_reports.hpp"
#include "report/run_estimate_report.hpp"
#include "report/shortened.hpp"
#include "report/watched_reports.hpp"
#include "run/program_power.hpp"

namespace kjoule {

namespace {

constexpr size_t kProgramWidth = 40;

class Compare final : public Command {
 public:
  std::string name() const override { return "compare"; }
  std::string help() const override {
    return "measures the kernels of one iteration, and checks whether their times and energies add up to "
           "those of the iteration";
  }
  std::string example() const override { return "kjoule compare --model bloom.pt --seq-len 32 --threads 1"; }
  std::vector<TableColumns> tables() const override {
    std::vector<TableColumns> tables = comparison_columns();
    tables.push_back(run_estimate_columns());
    for (TableColumns& table : run_columns()) tables.push_back(std::move(table));
    tables.push_back(phase_columns());
    tables.push_back(rank_columns());
    tables.push_back(rank_energy_columns());
    for (TableColumns& table : explained_collectives()) tables.push_back(std::move(table));
    for (TableColumns& table : watched_columns()) tables.push_back(std::move(table));
    tables.push_back(energy_columns());
    return tables;
  }

  void declare(CLI::App& app) override { arguments_.declare(app); }
  void take_program(std::vector<std::string> program) override {
    arguments_.subject.program = std::move(program);
  }
  std::string way_on() const override { return arguments_.run.way_on(); }
  int run() override {
    arguments_.energy.may_probe = !arguments_.subject.attach.is_given();  // it would stay paused for longer
    if (arguments_.subject.attach.is_given())
      refuse_given(arguments_.for_started, "on a program that is already running",
                   "omit it, or let kjoule start the program");
    arguments_.rounds.precision = share(arguments_.precision, "--precision");
    arguments_.run.requested = arguments_.requested();
    arguments_.subject.take_recorded_code();
    arguments_.subject.streams = arguments_.printed.program_streams();
    const EnergyOptions energy = arguments_.energy_options();
    arguments_.timeline.refuse_wrong_names();
    KernelRules rules = arguments_.rules.read();
    const int code = measure_all(energy, rules);
    if (arguments_.page.is_requested()) arguments_.page.write(results_page(arguments_.run.folder(), rules));
    return code;
  }

 private:
  /// Measures the program's iteration, or its run, and returns the exit code.
  int measure_all(const EnergyOptions& energy, KernelRules& rules) {
    IterationMeasurement iterations(arguments_, rules);
    if (arguments_.replay.asked()) iterations.read_table();
    arguments_.run.refuse_folder();
    if (arguments_.run.asks_for_runs())
      arguments_.subject.injection.timed_iterations = arguments_.run.warmup + arguments_.run.runs;
    const TemporaryFolder log;
    // It measures the energy of the whole run, in case the whole run is reported.
    std::optional<RunEnergyMeter> meter;
    // With --recording, the whole run is not reported: it would not show whether the program launches what
    // was recorded.
    if (!arguments_.subject.program.empty() && arguments_.subject.recording.empty()) {
      arguments_.subject.injection.run_log = log.path();
      if (arguments_.energy.off)
        meter.emplace("--no-energy was given");
      else
        meter.emplace();
    }
    const RepeatedInput input(STDIN_FILENO);
    EndedProgram ended(arguments_, iterations, state_, rules, input);
    const auto started = std::chrono::steady_clock::now();
    if (arguments_.may_measure_windows()) arguments_.subject.injection.after = InjectionOptions::After::go_on;
    WindowMeasurement windows(
        log.path(), arguments_.subject.injection.gpu, arguments_.window_limits(),
        [&](uint32_t number, const PartFacts& facts, Subject& subject, Recording recording) {
          return ended.measure_window(number, facts, subject, std::move(recording));
        });
    try {
      const std::optional<int> code = measure(iterations, energy, windows);
      if (!in_place_) return code.value_or(0);
      auto whole = ended.whole_run(log.path(), meter);
      if (!whole) throw Error("windows were measured, but the log of the program's run is empty", kBugRemedy);
      if (!code && windows.came_too_late()) {
        const double span_s = whole->span_s();
        return ended.report_ended(*std::move(whole), span_s,
                                  EndedError("the program's work on the GPU ended before a window was chosen",
                                             "", windows.exit_code().value_or(0)));
      }
      if (windows.faulted())
        in_place_ =
            ended.measure_after_fault(*whole, *std::move(in_place_), windows.kernels(), windows.faulted());
      if (!code) return ended.report_windows(*std::move(whole), *in_place_);
      ended.add_loop(*std::move(loop_), loop_spread_);
      ended.report_later_windows(*std::move(whole), *in_place_);
      return *code;
    } catch (const EndedError& error) {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
      auto whole = ended.whole_run(log.path(), meter);
      if (!whole) throw;
      return ended.report_ended(*std::move(whole), seconds.count(), error);
    } catch (const WriteError&) {
      throw;
    } catch (const Error& error) {
      const auto* device = dynamic_cast<const DeviceError*>(&error);
      // Other errors concern a file or an option, not the program.
      if (state_.is_recorded && device == nullptr) throw;
      auto whole = ended.whole_run(log.path(), meter);
      if (!whole) throw;
      if (device == nullptr || !device->is_fault() || !arguments_.may_measure_windows())
        return ended.report_refused(*whole, error);
      print_error("the iteration could not be measured: {}\n", error.line());
      const RunComparison run = ended.measure_after_fault(*whole, {}, {}, {});
      if (run.measured.empty()) return ended.report_refused(*whole, error);
      return ended.report_windows(*std::move(whole), run);
    }
  }

  /// Measures the program's iteration and returns the exit code. Returns nothing if no loop was found and
  /// windows of the run were measured instead (in_place_).
  std::optional<int> measure(IterationMeasurement& iterations, const EnergyOptions& energy,
                             WindowMeasurement& windows) {
    const SubjectOptions& options = arguments_.subject.checked();
    std::optional<ProgramPower> power;
    if (!options.program.empty() && !arguments_.energy.off && !arguments_.energy.asked()) power.emplace();
    if (!options.program.empty())
      print_error("starting {}; kjoule ends it after the measurement\n",
                  shortened(shell_text(options.program), kProgramWidth));
    Subject subject = open_recordable_subject(options);
    // On a CPU, the times of the operators are the timeline.
    if (subject.device->info().description.value("kind", "") != "cpu")
      arguments_.timeline.refuse_without_timeline(subject.device->info());
    std::optional<Recording> recording;
    if (arguments_.may_measure_windows()) {
      print_error("searching for an iteration of the program\n");
      windows.begin();
      recording = subject.device->record_window({.patience_s = arguments_.search_s});
      windows.end_search();
      if (!recording) {
        measure_windows(subject, windows);
        return {};
      }
    }
    // Whether the program has several ranks is known only after their iteration was recorded.
    if (!recording && subject.ranks != nullptr && !subject.device->info().runs_program) {
      print_error("waiting for an iteration of the program\n");
      recording = subject.device->record();
    }
    EnergyMeters meters = open_meters(subject);
    arguments_.run.least_s = meters.block_s;
    if (meters.block_s > 0) arguments_.run.settle_s = meters.settle_s;
    MeasuredRun run("compare", subject, arguments_.run);
    state_.folder_is_ours = true;
    iterations.take_facts(meters);
    if (!meters.ask_the_gpu()) run.log_power(meters);
    take_or_record(std::move(recording), run);
    read_spread(run);
    if (power) run.own_power(*power, options.injection.loop_s);
    state_.is_recorded = true;
    RankMeters rank_meters = open_meters_of_ranks(subject);
    const bool with_energy =
        !arguments_.energy.off && !(meters.meters.empty() && rank_meters.all.meters.empty());
    if (arguments_.subject.is_program())
      announce_pause(expected_pause_s(run.recording(), arguments_.rounds, with_energy ? &energy : nullptr) +
                         (meters.block_s > 0 ? expected_blocks_s(meters.settle_s + meters.block_s,
                                                                 arguments_.energy.block_kernels)
                                             : 0),
                     subject.has_ranks());
    ComparisonScreen screen = arguments_.new_screen();
    const bool is_shared = subject.has_ranks();
    const EnergyOptions* asked = arguments_.energy.off ? nullptr : &energy;
    const bool is_metered_by_rank = subject.has_metered_ranks();
    iterations.measure(run, arguments_.rounds, meters, is_metered_by_rank ? nullptr : asked,
                       arguments_.printed.as_text() ? &screen : nullptr);
    ranks_ = RankMeasurement(arguments_, iterations)
                 .measure(subject, run, rank_meters, is_metered_by_rank ? asked : nullptr);
    if (arguments_.subject.attach.is_given()) let_go(subject);
    if (!arguments_.subject.program.empty() && arguments_.run.resume.empty() &&
        (is_shared || !may_go_on(subject)))
      subject.close();
    if (arguments_.starts > 1 || arguments_.replay.asked()) subject.close();
    run.other_starts(arguments_.starts - 1, [&] { return open_recordable_subject(options); });
    const int code = report(run, iterations, screen);
    if (arguments_.may_measure_windows() && !is_shared) {
      const auto spread = run.rows().first<LoopSpread>();
      if (spread && spread->spread.is_wide()) loop_spread_ = spread->spread;
      windows.add_loop(run.recording(), loop_spread_.has_value());
      measure_later_work(subject, windows);
    }
    return code;
  }

  /// Returns the meters with which the energy is measured; none if the ranks of the program have meters of
  /// their own, which open_meters_of_ranks() opens.
  EnergyMeters open_meters(const Subject& subject) {
    if (subject.has_metered_ranks()) return {};
    EnergyMeterOptions options = arguments_.energy;
    options.own_blocks = !arguments_.subject.attach.is_given();  // an attached program is paused for longer
    return open_energy_meters(subject, options);
  }

  /// Returns the meters of ranks that have their own; none if no energy was requested.
  RankMeters open_meters_of_ranks(Subject& subject) {
    if (!subject.has_metered_ranks() || arguments_.energy.off) return {};
    EnergyMeterOptions options = arguments_.energy;
    options.with_blocks = false;
    options.block_s.reset();
    state_.is_recorded =
        true;  // so that the run is not reported if a meter is missing, which is no error of it
    return open_rank_meters(subject, options);
  }

  static void announce_pause(double seconds, bool is_of_ranks) {
    print_error("{}\n", pause_notice(seconds));
    const std::string warning = is_of_ranks ? watchdog_warning(seconds) : "";
    if (!warning.empty()) print_warning("{}", warning);
  }

  /// Adds the iteration to the run: the recorded one if it is given, otherwise records one.
  static void take_or_record(std::optional<Recording> recorded, MeasuredRun& run) {
    if (!recorded) return run.time_and_record();
    run.record(*std::move(recorded));
    run.program_iterations();
  }

  /// Reads from the log of the run how much the loop's iterations so far differ.
  void read_spread(MeasuredRun& run) const {
    const InjectionOptions& injection = arguments_.subject.injection;
    if (injection.run_log.empty() || run.rows().has<LoopSpread>()) return;
    if (const auto spread = read_iteration_spread(injection.run_log, injection.gpu, run.recording()))
      run.once<LoopSpread>([&] { return LoopSpread{*spread}; });
  }

  /// Lets the program continue after its loop was measured. Returns false if it cannot continue or need not.
  bool may_go_on(Subject& subject) const {
    if (!arguments_.may_measure_windows()) return false;
    try {
      return subject.device->leave().empty();
    } catch (const Error&) {  // the loop's results are kept; the program's later work is not measured
      return false;
    }
  }

  /// Measures the program's work after its measured loop, if this work has other kernels, and ends the
  /// program.
  void measure_later_work(Subject& subject, WindowMeasurement& windows) {
    RunComparison later = windows.measure(subject);
    subject.close();
    if (later.measured.empty())
      print_error("the iteration's kernels have {:.0f} % of the kernel time of the program so far\n",
                  100 * windows.share());
    else
      in_place_ = std::move(later);
  }

  /// Measures windows of the program, which runs between them, and ends the program.
  void measure_windows(Subject& subject, WindowMeasurement& windows) {
    print_error(
        "no loop fills 80 % of the program's time, so windows of launches are measured while it runs; it is "
        "paused for at most {:.0f} s in total (--time-limit){}, and then ended\n",
        arguments_.window_limits().paused_s,
        arguments_.energy.off || arguments_.energy_phases == 0
            ? ""
            : ", for about 30 s more to measure the energy of a window (--no-energy omits this)");
    in_place_ = windows.measure(subject);
    if (const auto code = windows.exit_code())
      print_error("the program ended by itself while it was measured (exit code {})\n", *code);
    subject.close();
  }

  /// Lets an attached program continue.
  static void let_go(Subject& subject) {
    std::string why;
    try {
      why = subject.device->leave();
    } catch (const Error& error) {  // the results so far are reported
      why = error.what();
    }
    if (why.empty())
      print_error("the program continues\n");
    else
      print_warning("the program was ended, because it cannot continue: {}", why);
    subject.close();
  }

  int report(MeasuredRun& run, IterationMeasurement& iterations, ComparisonScreen& screen) {
    const Comparison comparison = iterations.write_report(run, true, ranks_);
    loop_ = comparison.window;
    const std::string energies = iterations.log_text(run);
    arguments_.printed.print([&] { return comparison_report(comparison, arguments_.most_details()); },
                             [&] { return kernels_csv(comparison.kernels, &comparison); },
                             [&] {
                               screen.print_rest(comparison);
                               return fmt::format(
                                   "{}results in {}{}\n", energies, run.folder().string(),
                                   arguments_.verbose ? "" : "; -v prints all checks and more kernels");
                             });
    iterations.write_timeline(run, comparison);
    if (!arguments_.printed.as_text())
      for (const std::string& finding : comparison.findings) print_warning("{}", finding);
    return arguments_.check ? check_exit_code(comparison) : 0;
  }

  CompareArguments arguments_;
  ComparisonState state_;
  std::optional<WindowTimes> loop_;  ///< times of the measured iteration
  std::optional<IterationSpread> loop_spread_;
  std::vector<RankResult> ranks_;          ///< results of all ranks; empty if the program has only one
  std::optional<RunComparison> in_place_;  ///< windows that were measured instead of an iteration
};

}  // namespace

std::unique_ptr<Command> compare_command() {
  return std::make_unique<Compare>();
}

}  // namespace kjoule
