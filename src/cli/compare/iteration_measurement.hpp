#pragma once
// The folder compare is `kjoule compare` (compare.cpp) with all that it measures. IterationMeasurement
// measures one recorded iteration and writes its files; the other classes use it. RankMeasurement measures
// the other ranks, WindowMeasurement windows of a program without a loop that fills its time, and
// PhaseMeasurement, in further starts, the phases of a program that has ended. EndedProgram and WholeRun
// report a program that ended before an iteration was found. Read first: compare.cpp, IterationMeasurement.

#include <optional>
#include <string>

#include "cli/compare/compare_arguments.hpp"
#include "compare/compare_iteration.hpp"
#include "compare/kernels/kernel_results.hpp"
#include "compare/tables/signature_replay.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// How far a comparison has come.
struct ComparisonState {
  bool is_recorded = false;     ///< whether an iteration was recorded, in this or an earlier start
  bool folder_is_ours = false;  ///< whether the results folder was claimed
};

/// Measures one recorded iteration of a program, or of a phase of its run, and writes its files.
class IterationMeasurement {
 public:
  IterationMeasurement(CompareArguments& arguments, KernelRules& rules)
      : arguments_(arguments), rules_(rules) {}

  /// Stores the facts of the meter that is logged for blocks, for log_text().
  void take_facts(const EnergyMeters& meters);
  /// Reads the table of --kernels. A number in --iterations applies to the table, a span of launches to the
  /// program.
  void read_table();
  /// Measures the recorded iteration. Its energy in context is measured only if `energy` is not null. Energy
  /// takes most of the time, so the times are printed on `screen` before it, unless `screen` is null.
  void measure(MeasuredRun& run, const RoundOptions& rounds, EnergyMeters& meters,
               const EnergyOptions* energy, ComparisonScreen* screen) const;
  /// Writes the files of a measured iteration. They contain the replay of --kernels if `with_table`.
  Comparison write_report(MeasuredRun& run, bool with_table, const std::vector<RankResult>& ranks = {});
  /// Writes the reports of the energies in the log of the run, and returns their table; empty if no meter was
  /// logged.
  std::string log_text(const MeasuredRun& run) const;
  /// Writes the requested timelines: as the device's own profiler saw the iteration or, on a CPU, of the
  /// operators' times. Call it last, so that no results are lost if it fails.
  void write_timeline(const MeasuredRun& run, const Comparison& comparison) const;

 private:
  /// Replays the table. If that fails, the earlier measurements are still reported.
  ReplayedTable replayed();
  /// Returns the options of the replay. The replay runs on CUDA if a program is measured, because programs
  /// run on CUDA.
  SubjectOptions of_replay() const;

  CompareArguments& arguments_;
  KernelRules& rules_;
  std::optional<SignatureReplay> table_;  ///< table of --kernels
  std::optional<MeterFacts> logged_;      ///< the meter that is logged for blocks
};

}  // namespace kjoule
