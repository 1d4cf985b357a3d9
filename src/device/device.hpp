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
#include "device/observation.hpp"
#include "device/rank_facts.hpp"
#include "device/window_search.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Launches that are replayed in order, on a device whose clock can be read between launches (a CPU). Only
/// `timed` is measured. `lead` is replayed before it, so that `timed` meets the caches and values that it
/// should. Memory is restored before and after `timed`, never within it.
struct Segment {
  std::vector<LaunchIndex> lead;
  std::vector<LaunchIndex> timed;
};

/// Segments that are replayed one after another as one stream of work, so that results of one segment are
/// inputs of later ones.
struct Sequence {
  static constexpr const char* kType = "sequence";
  std::vector<Segment> segments;
};

/// The iteration as the program itself runs it.
struct Iteration {
  static constexpr const char* kType = "iteration";
};

/// The recorded iteration, replayed with the program's own streams. Each launch starts as soon as the
/// launches are complete that it waits for in the program, so streams run in parallel as in the program,
/// without the pauses of the host.
struct OverlappedIteration {
  static constexpr const char* kType = "overlapped";
};

/// Work for meters that are slower than launches. Nothing is timed within it. The device pauses neither
/// between repeats nor between two enqueues, if the second one was made before the first was complete.
///
/// A repeat is `plain` iterations in a row, after which memory is restored. If launches are `marked`, one
/// more iteration follows, after which memory is restored, too. In it, what a marked launch writes is written
/// once more right after the launch, from a copy. With `left_out`, the marked launches are not replayed, and
/// the copies alone leave what the launches would have written. So two works that differ only in `left_out`
/// differ by the marked launches, each of which is replayed at its place, at its time and with its data of
/// the iteration. If `plain` is 0 and no launch is marked, a repeat only restores memory.
///
/// With `only`, a repeat is these launches alone, `plain` times in a row. Memory is not restored: launches
/// that overwrite their own inputs continue with the overwritten values.
struct SteadyWork {
  static constexpr const char* kType = "steady";
  int plain = 1;
  std::vector<LaunchIndex> marked{};
  bool left_out = false;
  /// Whether everything is evicted from the caches before each iteration.
  bool flushed = false;
  std::vector<LaunchIndex> only{};
  /// Whether the device pauses before each iteration, before each time that `only` is replayed, and once in a
  /// repeat without either. Track::pause() sets the duration of a pause, which is 0 at first.
  bool may_pause = false;
  /// The first launch that iterations do not contain, with all later ones; none if not given.
  std::optional<LaunchIndex> end{};
};

/// Launches in one unbroken chain, in order, with a stamp (a kernel of one thread that writes the device
/// clock) after some of them. Memory is restored after each repeat, never within one. The first launch should
/// be the iteration's first: then every launch meets the memory that it met in the program, as long as the
/// launches are in the iteration's order.
struct StampedWork {
  static constexpr const char* kType = "stamped";
  std::vector<LaunchIndex> launches;
  std::vector<uint32_t>
      stamped_after;  ///< ascending indices into `launches`, at least two; a stamp follows each
};

/// A chain of kjoule's own empty kernels between two stamps. Its duration is a control: it shows whether
/// kernels still follow each other on the device as quickly as at an earlier time.
struct EmptyKernels {
  static constexpr const char* kType = "empty_kernels";
  int count = 600;
};

using TrackSpec =
    std::variant<Iteration, Sequence, OverlappedIteration, SteadyWork, StampedWork, EmptyKernels>;

/// The durations and clocks of one enqueue of a Track.
struct TrackTiming {
  /// Durations in s. Of a Sequence or an Iteration: one for each segment of each repeat, repeats x segments,
  /// row by row (an Iteration has one segment). Of SteadyWork: durations on the device that add up to all
  /// repeats together. Of StampedWork and EmptyKernels: the distances of successive stamps, repeats x
  /// (stamps - 1).
  std::vector<double> seconds;
  /// Mean clock of the device's processors for each repeat, from the begin of its first timed work to the end
  /// of its last, in Hz; empty if not available.
  std::vector<double> clock_hz;
  /// Steady time at the begin of the work. `begin_ns` and `end_ns` bracket exactly the work of this enqueue.
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

/// A failure of the device, or of the process that contains it. `launch` is the launch that caused it, if
/// known. If `lost` is set, nothing more can be replayed on this device.
class DeviceError : public Error {
 public:
  DeviceError(const std::string& cause, std::string remedy, std::optional<LaunchIndex> launch = {},
              bool lost = false)
      : Error(cause, std::move(remedy)), launch(launch), lost(lost) {}
  /// Returns whether a replayed launch destroyed what the process had on the device.
  bool is_fault() const { return lost && launch; }
  std::optional<LaunchIndex> launch;
  bool lost;
};

/// The error of a program that ended by itself before one of its iterations was recorded.
class EndedError final : public DeviceError {
 public:
  EndedError(const std::string& cause, std::string remedy, std::optional<int> exit_code)
      : DeviceError(cause, std::move(remedy), {}, true), exit_code(exit_code) {}
  std::optional<int> exit_code;  ///< the program's, or 128 + signal; nothing if it is not known
};

/// The error of replayed work that does not come to an end: a launch waits for memory that another one
/// prepares, for example. The process that contains the device is of no use any more.
class StuckError final : public DeviceError {
 public:
  explicit StuckError(const std::string& cause, std::string remedy = "earlier results are kept")
      : DeviceError(cause, std::move(remedy), {}, true) {}
};

/// Work that is prepared on a device for repeated replay. It is enqueued asynchronously, so that the device
/// need not idle between readings.
class Track {
 public:
  virtual ~Track() = default;
  /// Starts `repeats` repeats of the work and returns at once.
  virtual void enqueue(int repeats) = 0;
  /// Sets the duration of pauses, in s, of SteadyWork with `may_pause`, from the next enqueue on. Throws
  /// Error for other work.
  virtual void pause(double /*seconds*/) { throw Error("this work does not pause", kBugRemedy); }
  /// Waits until the oldest pending enqueue is complete and returns its durations. Throws DeviceError.
  virtual TrackTiming wait() = 0;
};

/// The facts about a device that estimators and reports need.
struct DeviceInfo {
  nlohmann::json description;  ///< kind, name, threads and versions; copied into every result
  /// Whether timing can begin within running work without changing what is timed. This is true on a CPU,
  /// where it takes one read of the clock, and false on CUDA, where an event drains the pipeline.
  bool can_time_between_launches = false;
  /// Whether an Iteration can be opened: the program itself can be run again and again. If not, only its
  /// recorded launches can be replayed.
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
  /// Launches whose outputs differ when they are replayed in order or in isolation.
  std::vector<LaunchIndex> different;
  /// Launches that threw an exception when replayed, with its message.
  std::vector<std::pair<LaunchIndex, std::string>> failed;
  /// Launches among `different` that wrote many infinities or NaNs where the program wrote none. The types of
  /// the outputs are guessed.
  std::vector<LaunchIndex> non_finite;
  /// Launches whose outputs differ from the recorded ones and also from one replay to the next, and the
  /// launches with different outputs that come after such a launch. Their bits prove nothing.
  std::vector<LaunchIndex> varying;
};

/// A device that records a program and opens Tracks on the recording. It is not thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Records one iteration, whose launch indices all TrackSpecs use. Throws Error if two iterations differ.
  virtual Recording record() = 0;
  /// Records the next window of a program that runs on (after leave()), and pauses it. Returns nothing if no
  /// such window begins within search.patience_s; the program then runs on. Throws Error if what began cannot
  /// be recorded or replayed; the program runs on then, too. A device without a running program records
  /// iterations only.
  virtual std::optional<Recording> record_window(const WindowSearch& search) {
    if (search.place || !search.loops.empty()) throw Error("this device records iterations only", kBugRemedy);
    return record();
  }
  /// Records, as record(), the iteration that the leading rank of the program announces. Returns nothing if
  /// that rank is recorded alone.
  virtual std::optional<Recording> follow() { throw Error("this device follows no other rank", kBugRemedy); }
  /// Replays every recorded launch, in order and in isolation, and compares its outputs with the recorded
  /// ones.
  virtual Verification verify() = 0;
  /// Prepares the work of `spec` for repeated replay.
  virtual std::unique_ptr<Track> open(const TrackSpec& spec) = 0;
  /// Returns the device's own timeline of the recorded iteration; nothing if the device keeps no timeline.
  virtual std::optional<Observation> observe() { return std::nullopt; }
  /// Lets the program go on after its recorded iteration, as if it had not been measured. All tracks must be
  /// closed. record() or record_window() may then record more. Returns why that is impossible, in one clause
  /// about the program; an empty text if it goes on.
  virtual std::string leave() { return "kjoule started the program only for the measurement"; }
  /// Ends the observation of a program that goes on after leave(): its launches cost nothing any more, and
  /// nothing more is recorded.
  virtual void stop_observing() {}
  /// Announces a round of measurements. A reproducible device makes everything that follows depend on `round`
  /// alone, so that a resumed run continues exactly as an uninterrupted one.
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
}

}  // namespace kjoule
