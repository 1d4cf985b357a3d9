#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/run_comparison.hpp"
#include "recording/chosen_phases.hpp"
#include "run/further_start.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// What was measured of a program's phases in further starts, and what was not.
struct MeasuredPhases {
  std::vector<MeasuredPhase> measured;
  std::vector<LeftPhase> left;
  FurtherStarts starts;
};

/// Waits for so many seconds until a further start, in which all is measured, ends by itself, says so, and
/// takes note of how it went.
void end_measured(Subject& subject, double patience_s, FurtherStarts& starts);

/// Measures the phases of a program that ended by itself in further starts of it: as many in one start as it
/// can go on from.
class PhaseMeasurement {
 public:
  /// Starts the program once more, to measure the same phase.
  using StartAgain = std::function<Subject()>;
  /// Measures the recorded iteration of a phase in its results folder, and returns its result. If it closes
  /// the subject, no further phase is measured in this start.
  using Measure = std::function<MeasuredPhase(const ChosenPhase&, Subject&, Recording, const StartAgain&)>;

  /// Reports what is measured before the end of the last start is waited for.
  using Report = std::function<void(MeasuredPhases)>;

  /// `first` are the options of the first start; `log` is the file for the program's output. After the last
  /// phase, the program is ended if it does not end by itself within `patience_s`.
  PhaseMeasurement(PhaseChoice choice, SubjectOptions first, const RepeatedInput& input,
                   std::filesystem::path log, double patience_s, Measure measure, Report report);

  /// Measures all phases, or as many as the program comes to. What fails becomes a reason in the result.
  MeasuredPhases measure();

 private:
  /// Starts the program and measures phases until it cannot go on, or has come to its end.
  void start();
  /// Measures the phases of a start in the order in which the program comes to them.
  void measure_in(Subject& subject);
  /// Returns whether kernels follow each other as quickly as in the first phase of this start.
  bool is_as_fast(Device& device);
  /// Measures a phase. Returns why the start is over, in one clause; an empty text if it is not.
  std::string measure_phase(const ChosenPhase& phase, Subject& subject, Recording recording);
  /// Lets the program go on, and returns whether it does.
  bool go_on(Subject& subject, uint32_t phase);
  /// Returns the number of phases that are searched for in the next start.
  size_t searched() const;
  std::vector<PhasePattern> patterns() const;
  /// Returns what is measured so far, and what is not.
  MeasuredPhases results() const;
  /// Returns FurtherStarts::matched_share.
  std::optional<double> matched_share() const;
  /// Removes a phase from those that are to be measured.
  ChosenPhase take(uint32_t number);
  /// Gives up the phases that the last start searched for and did not measure.
  void give_up(const std::string& why);

  std::map<uint32_t, ChosenPhase> waiting_;  ///< by number
  std::vector<MeasuredPhase> measured_;
  std::vector<LeftPhase> failed_;  ///< chosen phases that could not be measured
  std::vector<LeftPhase> left_;    ///< the others
  FurtherStarts starts_;
  SubjectOptions first_;
  const RepeatedInput& input_;
  std::filesystem::path log_;
  double patience_s_;
  Measure measure_;
  Report report_;
  bool is_one_by_one_ = false;             ///< whether each start searches for one phase, because one failed
  std::optional<double> empty_kernels_s_;  ///< in the first phase of this start
};

}  // namespace kjoule
