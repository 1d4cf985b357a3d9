#include "cli/compare/ended_program.hpp"

#include <algorithm>
#include <chrono>

#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/compare/check_exit_code.hpp"
#include "report/phase_reports.hpp"
#include "run/planned_places.hpp"

namespace kjoule {

namespace {

/// Time limit of the rounds of a window, s.
constexpr double kWindow_s = 2;
/// Most windows that a further start measures if the phases do not contain all kernels of the run.
constexpr size_t kMostPlaces = 12;
constexpr uint32_t kFirstPlace = 1001;  ///< number of the first of these windows; phases have smaller numbers
/// Shortest time for which kjoule waits for the end of a further start after its last measurement, s.
constexpr double kLeastPatience_s = 10;

}  // namespace

std::optional<WholeRun> EndedProgram::whole_run(const std::filesystem::path& log,
                                                std::optional<RunEnergyMeter>& meter) const {
  if (!meter) return {};
  meter->stop();
  std::optional<ObservedProgram> observed = read_observed_program(log, arguments_.subject.injection, *meter);
  if (!observed || observed->log.operations.empty()) return {};
  return WholeRun(arguments_.subject.program, *std::move(observed));
}

int EndedProgram::report_refused(const WholeRun& whole, const Error& error) {
  write_whole_run(whole);
  print_whole_run(whole);
  whole.write_timeline(arguments_.timeline, rules_, arguments_.full_names.style());
  print_error(
      "no iteration was measured{}; the report shows the program's run up to that moment, with times from "
      "the profiler. Reason: {}\n",
      state_.is_recorded ? " completely" : "", error.line());
  const auto* device = dynamic_cast<const DeviceError*>(&error);
  if (state_.is_recorded || (device != nullptr && device->lost)) return 1;
  return arguments_.check ? check_exit_code(Verdict::inconclusive) : 0;
}

int EndedProgram::report_ended(WholeRun whole, double seconds, const EndedError& error) {
  write_whole_run(whole);
  if (arguments_.printed.as_text()) print_whole_run(whole);
  if (const auto measured = measure_phases(whole, error, seconds)) {
    const RunComparison run = add(*measured, whole);
    write_whole_run(whole);
    if (is_printed_)
      print_text(further_starts_text(run.starts.value()));
    else
      print_run_comparison(whole, run);
    if (run.measured.empty())
      whole.write_timeline(arguments_.timeline, rules_, arguments_.full_names.style());
    return arguments_.check ? check_exit_code(run) : 0;
  }
  if (!arguments_.printed.as_text()) print_whole_run(whole);
  whole.write_timeline(arguments_.timeline, rules_, arguments_.full_names.style());
  print_error("no iteration was measured; the report has the profiler's times of the whole run. Reason: {}\n",
              error.line());
  if (error.exit_code != 0) return 1;
  return arguments_.check ? check_exit_code(Verdict::inconclusive) : 0;
}

void EndedProgram::report_later_windows(WholeRun whole, const RunComparison& later) {
  const RunComparison windows = add(later, whole);
  write_whole_run(whole);
  // The iteration's report is already on stdout; programs could not parse a second JSON or CSV document after
  // it.
  if (arguments_.printed.as_text()) print_run_comparison(whole, windows);
}

int EndedProgram::report_windows(WholeRun whole, const RunComparison& measured) {
  const RunComparison windows = add(measured, whole);
  write_whole_run(whole);
  if (arguments_.printed.as_text()) print_whole_run(whole);
  print_run_comparison(whole, windows);
  whole.write_timeline(arguments_.timeline, rules_, arguments_.full_names.style());
  if (windows.measured.empty() && !windows.left.empty()) {
    print_error("no window of the program's run was measured by replay: {}\n", windows.left.front().why);
    return 1;
  }
  return arguments_.check ? check_exit_code(windows) : 0;
}

MeasuredWindow EndedProgram::measure_window(uint32_t number, const PartFacts& facts, Subject& subject,
                                            Recording recording) {
  claim_folder();
  const std::string name = fmt::format("window_{}", number);
  MeasuredRun run("compare", subject, arguments_.run.within(name));
  take(std::move(recording), facts, run);
  run.rounds({arguments_.rounds.precision, kWindow_s});
  const double energy_s = measure_energy(subject, run);
  run.observe();
  const Comparison comparison = iterations_.write_report(run, false);
  add_window(comparison.window);
  return {{number, name, comparison}, energy_s};
}

double EndedProgram::measure_energy(Subject& subject, MeasuredRun& run) {
  if (arguments_.energy.off || energies_ >= arguments_.energy_phases) return 0;
  const auto begin = std::chrono::steady_clock::now();
  EnergyMeterOptions options = arguments_.energy;
  options.with_blocks = false;
  EnergyMeters meters = open_energy_meters(subject, options);
  run.energy(meters, arguments_.energy_options());
  count_energy(run);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void EndedProgram::count_energy(const MeasuredRun& run) {
  const auto energy = run.rows().last<StoppedEnergy>();
  if (energy && energy->missing.empty()) ++energies_;
}

void EndedProgram::take(Recording recording, const PartFacts& facts, MeasuredRun& run) {
  run.record(std::move(recording));
  run.program_iterations();
  state_.is_recorded = true;
  run.once<MeasuredPart>([&] { return MeasuredPart{facts}; });
  kernels_.add(run.recording());
}

RunComparison EndedProgram::add(RunComparison run, WholeRun& whole) const {
  run.estimate = estimate_run(whole.profiled_kernels(), windows_);
  if (run.estimate && loop_spread_)
    run.estimate->mean_iteration = mean_iteration(*run.estimate, *loop_spread_);
  whole.add(run);
  return run;
}

void EndedProgram::claim_folder() {
  if (state_.folder_is_ours) return;
  const FileLock folder = arguments_.run.claim();
  state_.folder_is_ours = true;
}

void EndedProgram::print_run_comparison(const WholeRun& whole, const RunComparison& run) const {
  if (!arguments_.printed.as_text()) return print_whole_run(whole);
  print_text(run_comparison_text(run) + fmt::format("results in {}\n", arguments_.run.folder()));
}

void EndedProgram::write_whole_run(const WholeRun& whole) {
  claim_folder();
  whole.write(arguments_.run.folder(), rules_);
}

void EndedProgram::print_whole_run(const WholeRun& whole) const {
  whole.print(arguments_.printed, rules_, arguments_.most_details(), arguments_.full_names.style(),
              arguments_.run.folder());
}

std::optional<RunComparison> EndedProgram::measure_phases(WholeRun& whole, const EndedError& error,
                                                          double seconds) {
  if (error.exit_code != 0 || arguments_.subject.selects_iteration()) return {};
  if (const std::string why = why_not_again(whole, seconds); !why.empty()) {
    print_error("nothing of the program's run is replayed: {}\n", why);
    return {};
  }
  patience_s_ = std::max(kLeastPatience_s, seconds);
  MeasuredPhases phases = measure_in_further_starts(whole, whole.phases(arguments_.phase_budget()));
  measure_places(whole, phases);
  RunComparison run = compare(std::move(phases), whole);
  if (run.measured.empty() && !run.left.empty())
    print_error("nothing of the program's run was replayed: {}\n", run.left.front().why);
  return run;
}

std::filesystem::path EndedProgram::output_of_further_starts() const {
  return std::filesystem::path(arguments_.run.folder()) / "further_starts.log";
}

MeasuredPhases EndedProgram::measure_in_further_starts(WholeRun& whole, PhaseChoice choice) {
  if (choice.measured.empty()) return {{}, std::move(choice.left), {}};
  print_error(
      "starting {} again to measure {} of its phases, first {}; its output is written to {} (--once "
      "prevents further starts)\n",
      whole.name(), choice.measured.size(), part_text(choice.measured.front().facts),
      output_of_further_starts().string());
  return PhaseMeasurement(
             std::move(choice), arguments_.subject, input_, output_of_further_starts(), patience_s_,
             [&](const ChosenPhase& phase, Subject& subject, Recording recording,
                 const PhaseMeasurement::StartAgain& again) {
               return measure_phase(phase, subject, std::move(recording), again);
             },
             [&](MeasuredPhases phases) {
               if (places(whole).empty()) show(whole, std::move(phases));
             })
      .measure();
}

void EndedProgram::show(WholeRun& whole, MeasuredPhases phases) {
  RunComparison run = add(compare(std::move(phases), whole), whole);
  write_whole_run(whole);
  // JSON and CSV contain how the program ended, so they are printed after its end.
  if (!arguments_.printed.as_text() || run.measured.empty()) return;
  run.starts.reset();  // printed after the last start has ended
  print_run_comparison(whole, run);
  is_printed_ = true;
}

std::vector<WindowPlace> EndedProgram::places(const WholeRun& whole) const {
  if (kernels_.share_of(whole.log()) >= RunComparison::kCompleteShare) return {};
  return plan_places(whole.log(), kernels_, kMostPlaces, kPlacesSeed);
}

RunComparison EndedProgram::compare(MeasuredPhases phases, const WholeRun& whole) const {
  RunComparison run = compare_run(std::move(phases.measured), std::move(phases.left),
                                  std::move(phases.starts), kernels_.share_of(whole.log()));
  run.has_kernels = whole.has_kernels();
  return run;
}

RunComparison EndedProgram::measure_after_fault(WholeRun& whole, RunComparison before,
                                                const MeasuredKernels& kernels,
                                                const std::optional<LaunchRange>& faulted) {
  if (const std::string why = why_not_again(whole, whole.span_s()); !why.empty()) {
    print_error("the program is not started again after a launch that faulted: {}\n", why);
    return before;
  }
  kernels_ = kernels;
  MeasuredPhases phases{std::move(before.measured), std::move(before.left), {}};
  measure_places(whole, phases, faulted);
  RunComparison run = compare(std::move(phases), whole);
  if (run.measured.empty() && !run.left.empty())
    print_error("no window was replayed in the further start: {}\n", run.left.back().why);
  return run;
}

void EndedProgram::measure_places(WholeRun& whole, MeasuredPhases& phases,
                                  const std::optional<LaunchRange>& avoided) {
  std::vector<WindowPlace> places = this->places(whole);
  if (avoided)
    std::erase_if(places,
                  [&](const WindowPlace& place) { return overlaps(place, avoided->first, avoided->end); });
  if (places.empty()) return;
  print_error(
      "starting {} again to measure {} windows of the work that is not measured yet; its output is written "
      "to {} (--once prevents further starts)\n",
      whole.name(), places.size(), output_of_further_starts().string());
  ++phases.starts.count;
  try {
    const FurtherStart start({{}, places}, input_, output_of_further_starts());
    Subject subject = open_recordable_subject(start.options(arguments_.subject));
    measure_places_in(subject, whole, phases);
  } catch (const EndedError& error) {
    phases.starts.exit_code = error.exit_code;
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    phases.left.push_back({{}, error.line()});
  }
}

void EndedProgram::measure_places_in(Subject& subject, WholeRun& whole, MeasuredPhases& phases) {
  const auto begin = std::chrono::steady_clock::now();
  const auto limit = std::chrono::duration<double>(arguments_.phase_budget().time_limit_s);
  uint32_t number = kFirstPlace;
  while (kernels_.share_of(whole.log()) < RunComparison::kCompleteShare &&
         std::chrono::steady_clock::now() - begin < limit) {
    Recording recording = subject.device->record();
    const PartFacts facts = window_facts(recording);
    phases.measured.push_back(measure_window(number++, facts, subject, std::move(recording)).phase);
    if (const std::string why = subject.device->leave(); !why.empty())
      return phases.starts.ended.push_back(fmt::format("after window {} {}", number - 1, why));
  }
  subject.device->stop_observing();
  if (patience_s_ > 0) show(whole, phases);
  end_measured(subject, patience_s_, phases.starts);
}

std::string EndedProgram::why_not_again(const WholeRun& whole, double seconds) const {
  if (!whole.has_operations()) return "it launched no operations on the GPU";
  if (arguments_.once) return "--once";
  return hindrance({seconds, whole.other_processes(), input_.is_gone()});
}

MeasuredPhase EndedProgram::measure_phase(const ChosenPhase& phase, Subject& subject, Recording recording,
                                          const PhaseMeasurement::StartAgain& again) {
  const uint32_t number = phase.pattern.number;
  const bool is_largest = number == 1;
  const std::string name = fmt::format("phase_{}", number);
  const bool with_energy =
      !arguments_.energy.off && number <= static_cast<uint32_t>(arguments_.energy_phases);
  const EnergyOptions energy = arguments_.energy_options();
  EnergyMeterOptions options = arguments_.energy;
  options.off = !with_energy;
  if (number > static_cast<uint32_t>(arguments_.energy_phases)) options.block_s.reset();
  EnergyMeters meters = open_energy_meters(subject, options);
  iterations_.take_facts(meters);
  MeasuredRun run("compare", subject, arguments_.run.within(name));
  take(std::move(recording), phase.facts, run);
  ComparisonScreen screen = arguments_.new_screen();
  const bool is_printed = is_largest && arguments_.printed.as_text();
  iterations_.measure(run, {phase.pooled_precision * arguments_.rounds.precision, phase.rounds_s}, meters,
                      with_energy ? &energy : nullptr, is_printed ? &screen : nullptr);
  count_energy(run);
  if (is_largest && (arguments_.starts > 1 || arguments_.replay.asked())) subject.close();
  if (is_largest) run.other_starts(arguments_.starts - 1, again);
  const Comparison comparison = iterations_.write_report(run, is_largest);
  add_window(comparison.window);
  if (!loop_spread_ && phase.facts.iterations_differ()) loop_spread_ = phase.facts.spread;
  const std::string energies = with_energy ? iterations_.log_text(run) : "";
  if (is_printed) {
    screen.print_rest(comparison);
    print_text(energies);
  }
  if (is_largest) iterations_.write_timeline(run, comparison);
  return {number, name, comparison};
}

}  // namespace kjoule
