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

/// Reports a program that ended, or was ended, before one of its iterations was measured: its whole run and,
/// if the program can be started again, the phases of the run by replay.
class EndedProgram {
 public:
  EndedProgram(CompareArguments& arguments, IterationMeasurement& iterations, ComparisonState& state,
               KernelRules& rules, const RepeatedInput& input)
      : arguments_(arguments), iterations_(iterations), state_(state), rules_(rules), input_(input) {}

  /// Returns the program's run so far by the profiler's log; nothing if the log has no operations.
  std::optional<WholeRun> whole_run(const std::filesystem::path& log,
                                    std::optional<RunEnergyMeter>& meter) const;
  /// Reports the run so far of a program that crashed, or that was ended because its iteration could not be
  /// recorded or measured. Returns the exit code.
  int report_refused(const WholeRun& whole, const Error& error);
  /// Reports a program that ended by itself, or made its last launch, after `seconds`: measures its phases in
  /// further starts if possible. Returns the exit code.
  int report_ended(WholeRun whole, double seconds, const EndedError& error);
  /// Measures windows in one more start of a program, after a launch that faulted in a replay had ended it.
  /// The windows do not contain the launches `faulted`; `kernels` are those measured so far. Returns the
  /// windows together with those measured `before`. kjoule does not wait for the program's end.
  RunComparison measure_after_fault(WholeRun& whole, RunComparison before, const MeasuredKernels& kernels,
                                    const std::optional<LaunchRange>& faulted);
  /// Reports a program of which windows were measured while it ran. Returns the exit code.
  int report_windows(WholeRun whole, const RunComparison& measured);
  /// Adds the loop that was measured before the windows of later work, and the spread of its iterations if
  /// they differ.
  void add_loop(WindowTimes loop, const std::optional<IterationSpread>& spread) {
    add_window(std::move(loop));
    loop_spread_ = spread;
  }
  /// Adds windows of later work to the report of a program whose loop was measured.
  void report_later_windows(WholeRun whole, const RunComparison& later);
  /// Measures a window that was recorded while the program ran, in a results folder of its own. Measures its
  /// energy, too, until --energy-phases windows have one.
  MeasuredWindow measure_window(uint32_t number, const PartFacts& facts, Subject& subject,
                                Recording recording);

 private:
  /// Measures the energy of a window, unless --energy-phases windows already have one. Returns the time that
  /// this took, s.
  double measure_energy(Subject& subject, MeasuredRun& run);
  /// Counts the phase or window if its energy was measured.
  void count_energy(const MeasuredRun& run);
  /// Prints the comparison of a run after the run's own report, if the output is text; otherwise prints both
  /// as one document.
  void print_run_comparison(const WholeRun& whole, const RunComparison& run) const;
  /// Lets `run` measure the recorded launches, which are the part `facts` of the program's run.
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
  /// Writes and prints the results so far, before kjoule waits for the program's end.
  void show(WholeRun& whole, MeasuredPhases phases);
  /// Returns windows with kernels that were not measured so far; none if the measured kernels suffice.
  std::vector<WindowPlace> places(const WholeRun& whole) const;
  /// If the phases do not contain enough of the run's kernels, measures windows with other kernels in one
  /// more start. No window contains the launches `avoided`.
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
  MeasuredKernels kernels_;  ///< kernels of all measured phases and windows
  std::optional<IterationSpread> loop_spread_;
  std::vector<WindowTimes> windows_;  ///< times of the measured loop, phases and windows
  int energies_ = 0;                  ///< number of phases and windows with energy
  bool is_printed_ = false;           ///< whether the result was printed before the program's end
  /// Time for which kjoule waits for the end of a further start, s: the duration of the first start, at least
  /// 10 s; 0 after a fault.
  double patience_s_ = 0;
};

}  // namespace kjoule
