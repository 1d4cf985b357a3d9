#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/energy/meter_block.hpp"
#include "measure/isolated/isolated_kernel.hpp"
#include "measure/isolated/isolated_work.hpp"
#include "measure/time/plan.hpp"
#include "recording/chosen_phases.hpp"
#include "recording/recording.hpp"
#include "run/mean_power.hpp"
#include "run/rows.hpp"

// The structs of rows that are not defined in the folder measure (Round, IsolatedKernel, EnergyPlan,
// EnergyBlock), and functions that read rows. The functions depend only on rows, so that an interrupted run
// can be reported.

namespace kjoule {

/// The times of the program's own iterations (glossary) in one contiguous block, launch gaps included.
struct ProgramIterations {
  static constexpr const char* kKind = "program_iterations";

  std::vector<double> run_s;    ///< time of each iteration
  int warmup = 0;               ///< number of untimed iterations before the timed iterations
  std::string start_timestamp;  ///< local times at which the timed iterations began and ended
  std::string end_timestamp;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  /// Time limit, s, because of which fewer iterations were run than by default (RunOptions::most_s).
  std::optional<double> limit_s{};
};
template <class Fields>
void describe(Fields& fields, ProgramIterations& iterations) {
  fields("seconds", iterations.run_s);
  fields("warmup", iterations.warmup);
  fields("start_timestamp", iterations.start_timestamp);
  fields("end_timestamp", iterations.end_timestamp);
  fields("begin_ns", iterations.begin_ns);
  fields("end_ns", iterations.end_ns);
  fields("limit_s", iterations.limit_s);
}

/// The part of the program's run to which the iteration belongs that a further start of the program measured.
struct MeasuredPart {
  static constexpr const char* kKind = "part";

  PartFacts facts;
};
template <class Fields>
void describe(Fields& fields, MeasuredPart& part) {
  describe(fields, part.facts);
}

/// The spread of the iterations of the loop in which the program was measured.
struct LoopSpread {
  static constexpr const char* kKind = "loop_spread";

  IterationSpread spread;
};
template <class Fields>
void describe(Fields& fields, LoopSpread& loop) {
  describe(fields, loop.spread);
}

/// The mean power of the GPU before the program was paused.
struct OwnPower {
  static constexpr const char* kKind = "own_power";

  MeanPower power;
};
template <class Fields>
void describe(Fields& fields, OwnPower& own) {
  fields("watts", own.power.watts.value);
  fields("half_width_watts", own.power.watts.half_width);
  fields("seconds", own.power.seconds);
}

/// The recorded iteration, which is stored in recording.jsonl.
struct RecordedIteration {
  static constexpr const char* kKind = "recording";

  std::string fingerprint;
  size_t launches = 0, kernels = 0;
  std::optional<int64_t> paused_ns;  ///< time at which the program was paused
};
template <class Fields>
void describe(Fields& fields, RecordedIteration& recorded) {
  fields("fingerprint", recorded.fingerprint);
  fields("launches", recorded.launches);
  fields("kernels", recorded.kernels);
  fields("paused_ns", recorded.paused_ns);
}

/// The launches of one kernel in a set of launches: their number, and the first one.
struct KernelShare {
  std::string name;
  size_t launches = 0;
  LaunchIndex first = 0;
};
template <class Fields>
void describe(Fields& fields, KernelShare& share) {
  fields("name", share.name);
  fields("launches", share.launches);
  fields("first", share.first);
}

/// The result of verification: the launches whose replay did not give the recorded bits.
struct VerifiedReplay {
  static constexpr const char* kKind = "verification";

  Verification found;
  std::vector<KernelShare> different_kernels;  ///< the kernels of the launches in Verification::different
};
template <class Fields>
void describe(Fields& fields, VerifiedReplay& verified) {
  describe(fields, verified.found);
  fields("different_kernels", verified.different_kernels);
}

/// A kernel that could not be replayed and is therefore missing from the sums.
struct ExcludedKernel {
  static constexpr const char* kKind = "excluded";

  uint32_t kernel = 0;  ///< index in the kernel table
  std::string name, error;
};
template <class Fields>
void describe(Fields& fields, ExcludedKernel& excluded) {
  fields("kernel", excluded.kernel);
  fields("name", excluded.name);
  fields("error", excluded.error);
}

/// The device's own timeline, or the reason why it could not be read.
struct ReadTimeline {
  static constexpr const char* kKind = "timeline";

  std::optional<Observation> observation;
  std::string error;
  int64_t begin_ns = 0, end_ns = 0;
};
template <class Fields>
void describe(Fields& fields, ReadTimeline& timeline) {
  fields("observation", timeline.observation);
  fields.unless_empty("error", timeline.error);
  fields("begin_ns", timeline.begin_ns);
  fields("end_ns", timeline.end_ns);
}

/// The times of the collectives of all ranks in some replays, or the reason (`error`) why there are none.
struct ReplayedCollectives {
  static constexpr const char* kKind = "collectives";

  std::vector<CollectiveReplays> ranks;  ///< by rank, the measured rank first
  std::string error;
  int64_t begin_ns = 0, end_ns = 0;
};
template <class Fields>
void describe(Fields& fields, ReplayedCollectives& collectives) {
  fields("ranks", collectives.ranks);
  fields.unless_empty("error", collectives.error);
  fields("begin_ns", collectives.begin_ns);
  fields("end_ns", collectives.end_ns);
}

/// The times of replays of the iteration with the program's streams in parallel, or the reason (`error`) why
/// there are no such times.
struct OverlappedReplays {
  static constexpr const char* kKind = "overlapped";

  std::vector<double> seconds;  ///< time of each replay
  std::string error;
  int64_t begin_ns = 0, end_ns = 0;
};
template <class Fields>
void describe(Fields& fields, OverlappedReplays& replays) {
  fields("seconds", replays.seconds);
  fields.unless_empty("error", replays.error);
  fields.unless_empty("begin_ns", replays.begin_ns);
  fields.unless_empty("end_ns", replays.end_ns);
}

/// The plan of the rounds, which is made once per run.
struct PlannedRounds {
  static constexpr const char* kKind = "plan";

  Plan plan;
  int64_t end_ns = 0;
};
template <class Fields>
void describe(Fields& fields, PlannedRounds& planned) {
  describe(fields, planned.plan);
  fields("end_ns", planned.end_ns);
}

/// The largest differences between sum and whole for the verdict "adds up" (--within), as shares of the
/// whole. These values do not influence the measurement.
struct RequestedAgreement {
  static constexpr const char* kKind = "requested";

  double time = 0.01, energy = 0.05;
  bool operator==(const RequestedAgreement&) const = default;
};
template <class Fields>
void describe(Fields& fields, RequestedAgreement& requested) {
  fields("time", requested.time);
  fields("energy", requested.energy);
}

/// The reason why the rounds ended, and the requested half-width.
struct StoppedRounds {
  static constexpr const char* kKind = "stopped";

  std::string by;        ///< reason: "precision", "time limit" or "instrument"
  double precision = 0;  ///< requested half-width of the sum, as a share of the whole
  bool operator==(const StoppedRounds&) const = default;
};
template <class Fields>
void describe(Fields& fields, StoppedRounds& stopped) {
  fields("by", stopped.by);
  fields("precision", stopped.precision);
}

/// The control: the time of a chain of empty kernels before the launches were measured, and afterwards, s.
struct ControlTimes {
  static constexpr const char* kKind = "control";

  double before_s = 0, after_s = 0;
  int64_t end_ns = 0;

  /// Returns the increase of the control's time from before to after the measurement, as a share of before_s.
  double slower() const { return after_s / before_s - 1; }
};
template <class Fields>
void describe(Fields& fields, ControlTimes& control) {
  fields("before_s", control.before_s);
  fields("after_s", control.after_s);
  fields("end_ns", control.end_ns);
}

/// The measurement of another start of the same program.
struct OtherStart {
  static constexpr const char* kKind = "start";

  double whole_s = 0;  ///< the undisturbed whole; 0 if there is an error
  std::string error;   ///< why the start was not measured; empty if it was
};
template <class Fields>
void describe(Fields& fields, OtherStart& start) {
  fields.unless_empty("whole_s", start.whole_s);
  fields.unless_empty("error", start.error);
}

/// The reason why measuring energy ended.
struct StoppedEnergy {
  static constexpr const char* kKind = "energy_stopped";

  std::string by;                  ///< "precision" or "time limit"; empty if measuring ended early
  std::string missing;             ///< why measuring ended early; empty if it did not
  std::vector<std::string> notes;  ///< notes of the meters
  int64_t end_ns = 0;              ///< time at which measuring energy ended; 0 in rows of older versions
};
template <class Fields>
void describe(Fields& fields, StoppedEnergy& stopped) {
  fields.unless_empty("by", stopped.by);
  fields.unless_empty("missing", stopped.missing);
  fields.unless_empty("notes", stopped.notes);
  fields.unless_empty("end_ns", stopped.end_ns);
}

/// Idle power: the power of the device while the program was paused and nothing ran.
struct IdlePower {
  static constexpr const char* kKind = "energy_idle";

  std::optional<double> mean_w;
  int64_t begin_ns = 0, end_ns = 0;
};
template <class Fields>
void describe(Fields& fields, IdlePower& idle) {
  fields("mean_w", idle.mean_w);
  fields("begin_ns", idle.begin_ns);
  fields("end_ns", idle.end_ns);
}

/// A row of repeated work, with the local times at which its block began and ended.
template <class Row>
struct Timestamped {
  static constexpr const char* kKind = Row::kKind;

  Row block;
  std::string start_timestamp, end_timestamp;
};
template <class Fields, class Row>
void describe(Fields& fields, Timestamped<Row>& one) {
  describe(fields, one.block);
  fields.unless_empty("start_timestamp", one.start_timestamp);
  fields.unless_empty("end_timestamp", one.end_timestamp);
}

/// A kernel in isolation.
using IsolatedBlock = Timestamped<IsolatedKernel>;

/// A time at which the load of a pattern began or ended.
struct PlayedEdge {
  std::string timestamp;  ///< local time
  bool begins = false;    ///< whether the load began
};
template <class Fields>
void describe(Fields& fields, PlayedEdge& edge) {
  fields("timestamp", edge.timestamp);
  fields("begins", edge.begins);
}

/// A load pattern that kjoule ran (power/load_pattern.hpp), with local times.
struct PlayedLoad {
  static constexpr const char* kKind = "load_pattern";

  std::vector<PlayedEdge> edges;
  std::string start_timestamp, end_timestamp;
  int64_t begin_ns = 0, end_ns = 0;
};
template <class Fields>
void describe(Fields& fields, PlayedLoad& played) {
  fields("edges", played.edges);
  fields("start_timestamp", played.start_timestamp);
  fields("end_timestamp", played.end_timestamp);
  fields("begin_ns", played.begin_ns);
  fields("end_ns", played.end_ns);
}

/// Work that was measured in isolation, or the reason why it could not be measured.
struct IsolatedWorkRow {
  static constexpr const char* kKind = "isolated_work";

  std::string name;
  std::optional<IsolatedWorkReading> reading;
  std::string error;
};
template <class Fields>
void describe(Fields& fields, IsolatedWorkRow& result) {
  fields("name", result.name);
  fields("reading", result.reading);
  fields.unless_empty("error", result.error);
}

/// The first run of a network's layer: its time, or the reason why it cannot run.
struct FirstRun {
  static constexpr const char* kKind = "first_run";

  uint64_t layer = 0;  ///< index in Network::layers
  std::string name;
  std::optional<double> seconds;
  std::string error;
};
template <class Fields>
void describe(Fields& fields, FirstRun& run) {
  fields("layer", run.layer);
  fields("name", run.name);
  fields("seconds", run.seconds);
  fields.unless_empty("error", run.error);
}

/// Returns the run's header: program, device, versions, title, and the machine's load at each start of
/// kjoule.
nlohmann::json run_header(const RowList& rows);
/// Returns the times of the program's own iterations. Throws Error if they were not timed.
ProgramIterations program_iterations_in(const RowList& rows);
/// Returns the device's timeline; nothing if the device keeps no timeline. Throws Error with the reason if
/// the timeline could not be read.
std::optional<Observation> observation_in(const RowList& rows);
/// Returns the reasons why kernels could not be replayed, by the kernel's index in the kernel table.
std::map<uint32_t, std::string> excluded_kernels(const RowList& rows);
/// Returns the places of the excluded kernels' launches in the iteration.
std::set<LaunchIndex> excluded_launches(const KernelTable& table, const RowList& rows);
/// Returns the recorded window in the form in which the run replays it, by its rows so far.
TimedIteration measured_iteration(const Recording& recording, const KernelTable& table, const RowList& rows);
/// Returns the idle power while the program was paused, W; nothing if it was not measured.
std::optional<double> idle_w_in(const RowList& rows);

}  // namespace kjoule
