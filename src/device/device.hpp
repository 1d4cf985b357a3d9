#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "device/collective_times.hpp"
#include "device/observation.hpp"
#include "device/rank_facts.hpp"
#include "device/window_search.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Launches that are replayed in order on a device whose clock can be read between launches (a CPU). The
/// launches in `lead` are replayed first, so that caches and values are as in the program; only the launches
/// in `timed` are measured. Memory is restored before and after `timed`, but never between the launches of
/// `timed`.
struct Segment {
  std::vector<LaunchIndex> lead;
  std::vector<LaunchIndex> timed;
};

/// Segments that are replayed one after another as one stream of work. Results of a segment are inputs of
/// later segments.
struct Sequence {
  static constexpr const char* kType = "sequence";
  std::vector<Segment> segments;
};

/// The iteration as the program itself runs it.
struct Iteration {
  static constexpr const char* kType = "iteration";
};

/// The recorded iteration, replayed on the program's own streams. A launch starts as soon as the launches on
/// which it depends in the program are complete. So streams run in parallel as in the program, but without
/// launch gaps.
struct OverlappedIteration {
  static constexpr const char* kType = "overlapped";
};

/// Work that repeats for so long that power meters can read it. No times are measured within a repeat. The
/// device does not pause between repeats. If an enqueue() is called before the work of the previous one is
/// complete, the device does not pause between the two either.
///
/// A repeat consists of `plain` consecutive iterations, after which memory is restored. If launches are
/// `marked`, one more iteration and another restore follow. In this additional iteration, right after each
/// marked launch, kjoule writes the launch's output again, by a copy from a stored image. With `left_out`,
/// the marked launches are omitted, and only the copies write their outputs. So the difference between two
/// works that differ only in `left_out` is the cost of the marked launches in context. If `plain` is 0 and no
/// launch is marked, a repeat only restores memory.
///
/// If `only` is not empty, a repeat consists of the launches in `only`, `plain` times in a row. Memory is
/// then not restored: launches that overwrite their own inputs continue with the overwritten values.
struct SteadyWork {
  static constexpr const char* kType = "steady";
  int plain = 1;
  std::vector<LaunchIndex> marked{};
  bool left_out = false;
  /// Whether the caches are flushed before each iteration.
  bool flushed = false;
  std::vector<LaunchIndex> only{};
  /// Whether the device pauses: before each iteration or each replay of `only`, or once in a repeat that only
  /// restores memory. Track::pause() sets the duration of the pauses, which is 0 at first.
  bool may_pause = false;
  /// If set, iterations contain only the launches before this launch.
  std::optional<LaunchIndex> end{};
};

/// Launches in one unbroken chain, in order, with a stamp (a kernel of one thread that writes the device
/// clock) after some of them. Memory is restored after each repeat. If the chain begins with the iteration's
/// first launch and has the iteration's order, every launch reads the same values as in the program.
///
/// The number of recorded launches, as an element of `launches`, stands for restoring memory within a repeat.
/// It must follow every iteration of the chain or none.
struct StampedWork {
  static constexpr const char* kType = "stamped";
  std::vector<LaunchIndex> launches;
  /// Indices into `launches` in ascending order, at least two; a stamp follows each. Equal indices mean
  /// several stamps in a row, which only other ranks than the measured one have.
  std::vector<uint32_t> stamped_after;
};

/// A chain of `count` empty kernels of kjoule between two stamps. Its duration is the control: if the
/// duration changes during a measurement, the device has changed.
struct EmptyKernels {
  static constexpr const char* kType = "empty_kernels";
  int count = 600;
};

using TrackSpec =
    std::variant<Iteration, Sequence, OverlappedIteration, SteadyWork, StampedWork, EmptyKernels>;

/// The durations and clocks of one enqueue of a Track.
struct TrackTiming {
  /// Durations in s.
  /// - Sequence, Iteration: one for each segment (an Iteration has one), repeat by repeat
  /// - SteadyWork: durations on the device, whose sum is the duration of all repeats together
  /// - StampedWork, EmptyKernels: times between successive stamps, (stamps - 1) for each repeat
  std::vector<double> seconds;
  /// For each repeat, the mean clock of the device's processors in Hz, from the begin of the first to the end
  /// of the last timed work of the repeat. Empty if not available.
  std::vector<double> clock_hz;
  /// begin_ns and end_ns are the times on the host's steady clock at which the work of this enqueue began and
  /// ended.
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

/// A failure of the device, or of the process that contains the device. `launch` is the launch that caused
/// the failure, if known. If `lost` is true, nothing more can be replayed on this device.
class DeviceError : public Error {
 public:
  DeviceError(const std::string& cause, std::string remedy, std::optional<LaunchIndex> launch = {},
              bool lost = false)
      : Error(cause, std::move(remedy)), launch(launch), lost(lost) {}
  /// Returns whether a replayed launch caused the loss of the process's device memory.
  bool is_fault() const { return lost && launch; }
  std::optional<LaunchIndex> launch;
  bool lost;
};

/// The error of a program that ended by itself before one of its iterations was recorded.
class EndedError final : public DeviceError {
 public:
  EndedError(const std::string& cause, std::string remedy, std::optional<int> exit_code)
      : DeviceError(cause, std::move(remedy), {}, true), exit_code(exit_code) {}
  std::optional<int> exit_code;  ///< exit code of the program, or 128 + signal; nothing if not known
};

/// The error of replayed work that never ends, for example because a launch waits for a value in memory that
/// nothing writes during the replay. Nothing more can be replayed in this process.
class StuckError final : public DeviceError {
 public:
  explicit StuckError(const std::string& cause, std::string remedy = "earlier results are kept")
      : DeviceError(cause, std::move(remedy), {}, true) {}
};

/// Work that is prepared on a device for repeated replay. enqueue() returns before the work is complete, so
/// that the next work can be enqueued in time to keep the device busy.
class Track {
 public:
  virtual ~Track() = default;
  /// Starts `repeats` repeats of the work and returns at once.
  virtual void enqueue(int repeats) = 0;
  /// Sets the duration of the pauses of SteadyWork with `may_pause`, in s, from the next enqueue on. Throws
  /// Error for any other work.
  virtual void pause(double /*seconds*/) { throw Error("this work does not pause", kBugRemedy); }
  /// Waits until the oldest enqueue that was not yet waited for is complete, and returns its durations.
  /// Throws DeviceError if a launch of the work failed.
  virtual TrackTiming wait() = 0;
};

/// The facts about a device that estimators and reports need.
struct DeviceInfo {
  nlohmann::json description;  ///< kind, name, threads and versions; copied into every result
  /// Whether the clock can be read between two launches without changing the duration of the launches. True
  /// on a CPU. False on a GPU, because an event between two kernels drains the pipeline.
  bool can_time_between_launches = false;
  /// Whether the program itself can run its iteration repeatedly, so that an Iteration can be opened. If
  /// false, only the recorded launches can be replayed.
  bool runs_program = false;
  /// Whether the program's launches can be recorded. If not, record() throws Error with the reason.
  bool recordable = true;
  /// Whether the device logs when each launch of the recorded iteration ran. observe() returns that log.
  bool keeps_timeline = false;
  RankFacts rank{};  ///< of the process that contains the device
};

/// The result of comparing each replayed launch's outputs with the recorded ones, bit by bit.
struct Verification {
  int launches = 0;
  /// Launches whose outputs differ from the recorded outputs when the launches are replayed in order or in
  /// isolation.
  std::vector<LaunchIndex> different;
  /// Launches whose replay failed, each with the error message.
  std::vector<std::pair<LaunchIndex, std::string>> failed;
  /// Launches among `different` that wrote many infinities or NaNs where the program wrote none. The list is
  /// a guess, because the data types of outputs are not known.
  std::vector<LaunchIndex> non_finite;
  /// Launches whose outputs differ from one replay to the next, and the launches with different outputs that
  /// follow such a launch. Their differences from the recorded outputs are no evidence of an error in the
  /// replay.
  std::vector<LaunchIndex> varying;
  /// Whether an iteration that begins with the results of the iteration before it leaves other memory than an
  /// iteration that begins with restored memory.
  bool changes_inputs = false;
};

/// A device that records a program and opens Tracks on the recording. It is not thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Records one iteration. The launch indices in TrackSpecs refer to this recording. Throws Error if two
  /// successive iterations differ.
  virtual Recording record() = 0;
  /// Records the next window that `search` describes, of a program that continues after leave(), and pauses
  /// the program. Returns nothing if no such window begins within search.patience_s; throws Error if the
  /// window cannot be recorded or replayed. In both of these cases, the program continues. A device without a
  /// running program records only iterations.
  virtual std::optional<Recording> record_window(const WindowSearch& search) {
    if (search.place || !search.loops.empty()) throw Error("this device records iterations only", kBugRemedy);
    return record();
  }
  /// Like record(), but records the iteration that the leading rank of the program announces. Returns nothing
  /// if the leading rank is recorded alone.
  virtual std::optional<Recording> follow() { throw Error("this device follows no other rank", kBugRemedy); }
  /// Replays every recorded launch, in order and in isolation, and compares its outputs with the recorded
  /// outputs.
  virtual Verification verify() = 0;
  /// Replays the recorded iteration `repeats` times together with the other ranks of the program, and returns
  /// the times of its collectives on this rank. Throws Error if the device has no other ranks.
  virtual std::vector<CollectiveTimes> time_collectives(int /*repeats*/) {
    throw Error("this device has no ranks", kBugRemedy);
  }
  /// Prepares the work of `spec` for repeated replay.
  virtual std::unique_ptr<Track> open(const TrackSpec& spec) = 0;
  /// Returns the device's own timeline of the recorded iteration; nothing if the device keeps no timeline.
  virtual std::optional<Observation> observe() { return std::nullopt; }
  /// Lets the program continue after its recorded iteration, as if it had not been measured. All tracks must
  /// be closed. Returns an empty text if the program continues; record() or record_window() may then record
  /// further windows. Otherwise returns the reason in one clause.
  virtual std::string leave() { return "kjoule started the program only for the measurement"; }
  /// Ends the observation of a program that continues after leave(): kjoule no longer slows its launches, and
  /// records nothing more.
  virtual void stop_observing() {}
  /// Announces a round of measurements. On a device with reproducible times (a simulated one), the results of
  /// the round depend on `round` and the device's clock, not on earlier rounds, so that a resumed run has the
  /// same results as an uninterrupted run.
  virtual void begin_round(int round) = 0;
};

// Conversion to and from messages (base/json/json_fields).

template <class Fields>
void describe(Fields& fields, Segment& segment) {
  fields("lead", segment.lead);
  fields("timed", segment.timed);
}
template <class Fields>
void describe(Fields& fields, Sequence& sequence) {
  fields("segments", sequence.segments);
}
template <class Fields>
void describe(Fields&, Iteration&) {}
template <class Fields>
void describe(Fields&, OverlappedIteration&) {}
template <class Fields>
void describe(Fields& fields, SteadyWork& steady) {
  fields("plain", steady.plain);
  fields("marked", steady.marked);
  fields("left_out", steady.left_out);
  fields("flushed", steady.flushed);
  fields("only", steady.only);
  fields("may_pause", steady.may_pause);
  fields("end", steady.end);
}
template <class Fields>
void describe(Fields& fields, StampedWork& stamped) {
  fields("launches", stamped.launches);
  fields("after", stamped.stamped_after);
}
template <class Fields>
void describe(Fields& fields, EmptyKernels& empty) {
  fields("count", empty.count);
}
template <class Fields>
void describe(Fields& fields, TrackSpec& spec) {
  fields.one_of("kind", spec);
}
template <class Fields>
void describe(Fields& fields, TrackTiming& timing) {
  fields("seconds", timing.seconds);
  fields("clock_hz", timing.clock_hz);
  fields("begin_ns", timing.begin_ns);
  fields("end_ns", timing.end_ns);
}
template <class Fields>
void describe(Fields& fields, DeviceInfo& info) {
  fields("description", info.description);
  fields("can_time_between_launches", info.can_time_between_launches);
  fields("runs_program", info.runs_program);
  fields("recordable", info.recordable);
  fields("keeps_timeline", info.keeps_timeline);
  fields("rank", info.rank);
}
template <class Fields>
void describe(Fields& fields, Verification& verification) {
  fields("launches", verification.launches);
  fields("different", verification.different);
  fields("failed", verification.failed);
  fields("non_finite", verification.non_finite);
  fields("varying", verification.varying);
  fields.unless_empty("changes_inputs", verification.changes_inputs);
}

}  // namespace kjoule
