#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/run/run_comparison.hpp"
#include "recording/chosen_phases.hpp"
#include "run/further_start.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// The measured phases of a program, and those that were not measured, each with the reason.
struct MeasuredPhases {
  std::vector<MeasuredPhase> measured;
  std::vector<LeftPhase> left;
  FurtherStarts starts;
};

/// Prints that kjoule waits, waits at most `patience_s` for the end of a further start in which nothing more
/// is measured, and stores in `starts` how it ended.
void end_measured(Subject& subject, double patience_s, FurtherStarts& starts);

/// Measures the phases of a program that ended by itself in further starts. One start measures several
/// phases, as long as the program can continue after each.
class PhaseMeasurement {
 public:
  /// Starts the program once more, to measure the same phase.
  using StartAgain = std::function<Subject()>;
  /// Measures the recorded iteration of a phase in its results folder, and returns its result. If it closes
  /// the subject, no further phase is measured in this start.
  using Measure = std::function<MeasuredPhase(const ChosenPhase&, Subject&, Recording, const StartAgain&)>;

  /// Reports the results so far, before kjoule waits for the end of the last start.
  using Report = std::function<void(MeasuredPhases)>;

  /// `first` are the options of the first start; `log` is the file for the program's output. After the last
  /// phase, the program is ended if it does not end by itself within `patience_s`.
  PhaseMeasurement(PhaseChoice choice, SubjectOptions first, const RepeatedInput& input,
                   std::filesystem::path log, double patience_s, Measure measure, Report report);

  /// Measures all phases that the program runs again. For the other phases, the result contains the
  /// reason.
  MeasuredPhases measure();

 private:
  /// Starts the program and measures phases until it cannot continue, or has ended.
  void start();
  /// Measures the phases of a start in the order in which the program runs them.
  void measure_in(Subject& subject);
  /// Returns whether empty kernels are as fast as in the first phase of this start.
  bool is_as_fast(Device& device);
  /// Measures a phase. Returns why the start is over, in one clause; an empty text if it is not.
  std::string measure_phase(const ChosenPhase& phase, Subject& subject, Recording recording);
  /// Lets the program continue after the phase. Returns whether it does. Throws EndedError if it has ended
  /// since.
  bool go_on(Subject& subject, uint32_t phase);
  /// Returns the number of phases that are searched for in the next start.
  size_t searched() const;
  std::vector<PhasePattern> patterns() const;
  /// Returns the results so far.
  MeasuredPhases results() const;
  /// Returns FurtherStarts::matched_share.
  std::optional<double> matched_share() const;
  /// Removes a phase from those that are to be measured.
  ChosenPhase take(uint32_t number);
  /// Removes the phases that the last start searched for and did not measure, with `why` as the reason.
  void give_up(const std::string& why);

  std::map<uint32_t, ChosenPhase> waiting_;  ///< phases to measure, by number
  std::vector<MeasuredPhase> measured_;
  std::vector<LeftPhase> failed_;  ///< chosen phases that could not be measured
  std::vector<LeftPhase> left_;    ///< phases that were not chosen
  FurtherStarts starts_;
  SubjectOptions first_;
  const RepeatedInput& input_;
  std::filesystem::path log_;
  double patience_s_;
  Measure measure_;
  Report report_;
  bool is_one_by_one_ = false;             ///< whether each start searches for one phase, because one failed
  std::optional<double> empty_kernels_s_;  ///< time of the empty kernels in the first phase of this start
};

}  // namespace kjoule
