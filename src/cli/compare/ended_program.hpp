#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "cli/compare/iteration_measurement.hpp"
#include "cli/compare/phase_measurement.hpp"
#include "cli/compare/whole_run.hpp"
#include "cli/compare/window_measurement.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_sums.hpp"
#include "run/run_energy.hpp"

namespace kjoule {

/// The answer for a program that ended, or was ended, before one of its iterations was measured: the report
/// of its whole run and, if it can be started again, its phases by replay.
class EndedProgram {
 public:
  EndedProgram(CompareArguments& arguments, IterationMeasurement& iterations, ComparisonState& state,
               KernelRules& rules, const RepeatedInput& input)
      : arguments_(arguments), iterations_(iterations), state_(state), rules_(rules), input_(input) {}

  /// Returns what the program did on the device; nothing if that is not known.
  std::optional<WholeRun> whole_run(const std::filesystem::path& log,
                                    std::optional<RunEnergyMeter>& meter) const;
  /// Answers for a program that was ended because its iteration could not be recorded or measured, or that
  /// crashed: with its run until then.
  int report_refused(const WholeRun& whole, const Error& error);
  /// Answers for a program that ended by itself after so many seconds, or made no further launch after them:
  /// with further starts, or with its whole run alone.
  int report_ended(WholeRun whole, double seconds, const EndedError& error);
  /// Measures windows in one more start of a program that was ended by a launch which faulted when it was
  /// replayed: windows of the run until then, without the launches `faulted` and after those `kernels` that
  /// are measured. Returns them with those that were measured `before`. What the program does after the last
  /// window is not waited for.
  RunComparison measure_after_fault(WholeRun& whole, RunComparison before, const MeasuredKernels& kernels,
                                    const std::optional<LaunchRange>& faulted);
  /// Answers for a program of which windows were measured in place.
  int report_windows(WholeRun whole, const RunComparison& measured);
  /// Takes the loop that was measured before the windows of later work, and how its iterations differ if they
  /// do.
  void add_loop(WindowTimes loop, const std::optional<IterationSpread>& spread) {
    add_window(std::move(loop));
    loop_spread_ = spread;
  }
  /// Adds windows of later work to the report of a program whose loop was measured.
  void report_later_windows(WholeRun whole, const RunComparison& later);
  /// Measures a window whose launches were recorded in place, in a folder of its own, with its energy if no
  /// window has one so far.
  MeasuredWindow measure_window(uint32_t number, const PartFacts& facts, Subject& subject,
                                Recording recording);

 private:
  /// Measures the energy of a window, if it is wanted and not known of another one. Returns how long that
  /// took, s.
  double measure_energy(Subject& subject, MeasuredRun& run);
  /// Takes note that a phase or window has its energy, if it does.
  void count_energy(const MeasuredRun& run);
  /// Prints the result of a run whose own report was printed, if it is text.
  void print_run_comparison(const WholeRun& whole, const RunComparison& run) const;
  /// Takes the recorded launches, which are this part of the program's run, as those that `run` measures.
  void take(Recording recording, const PartFacts& facts, MeasuredRun& run);
  /// Returns the comparison with the estimate of the whole run, and takes it into the report.
  RunComparison add(RunComparison run, WholeRun& whole) const;
  /// Takes a window for the estimate of the run, if the profiler has times of its kernels.
  void add_window(WindowTimes window) {
    if (!window.kernels.empty()) windows_.push_back(std::move(window));
  }
  void claim_folder();
  void write_whole_run(const WholeRun& whole);
  void print_whole_run(const WholeRun& whole) const;
  /// Measures phases and windows of a program that ended before an iteration was recorded; nothing, and says
  /// why, if it is not started again.
  std::optional<RunComparison> measure_phases(WholeRun& whole, const EndedError& error, double seconds);
  MeasuredPhases measure_in_further_starts(WholeRun& whole, PhaseChoice choice);
  /// Writes and prints what was measured, before the program's end is waited for.
  void show(WholeRun& whole, MeasuredPhases phases);
  /// Returns windows with kernels that were not measured so far; none if that is not necessary.
  std::vector<WindowPlace> places(const WholeRun& whole) const;
  /// If the phases do not contain the run's kernels, measures windows with other kernels in one more start,
  /// but none with the launches `avoided`.
  void measure_places(WholeRun& whole, MeasuredPhases& phases,
                      const std::optional<LaunchRange>& avoided = {});
  void measure_places_in(Subject& subject, WholeRun& whole, MeasuredPhases& phases);
  RunComparison compare(MeasuredPhases phases, const WholeRun& whole) const;
  std::filesystem::path output_of_further_starts() const;
  /// Returns why the program is not started again to measure its run; empty if it is.
  std::string why_not_again(const WholeRun& whole, double seconds) const;
  /// Measures a phase whose iteration was recorded.
  MeasuredPhase measure_phase(const ChosenPhase& phase, Subject& subject, Recording recording,
                              const PhaseMeasurement::StartAgain& again);

  CompareArguments& arguments_;
  IterationMeasurement& iterations_;
  ComparisonState& state_;
  KernelRules& rules_;
  const RepeatedInput& input_;
  MeasuredKernels kernels_;  ///< in all phases and windows
  std::optional<IterationSpread> loop_spread_;
  std::vector<WindowTimes> windows_;  ///< of the measured loop, phases and windows
  int energies_ = 0;                  ///< of phases and windows
  bool is_printed_ = false;           ///< whether the result was printed before the program's end
  /// For the end of further starts, s: as long as the first one worked, at least 10 s; 0 after a fault.
  double patience_s_ = 0;
};

}  // namespace kjoule
