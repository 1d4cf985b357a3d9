#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/json_fields.hpp"
#include "device/observation.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Launches to play in order, on a device whose clock may be read between launches (a CPU). Only `timed` is
/// measured; `lead` brings caches and values into the state in which `timed` should meet them. Memory is
/// restored outside `timed` only.
struct Segment {
  std::vector<LaunchIndex> lead;
  std::vector<LaunchIndex> timed;
};

/// Segments played one after another, as one stream of work: a value made by one segment feeds the later
/// ones.
struct Sequence {
  static constexpr const char* kType = "sequence";
  std::vector<Segment> segments;
};

/// The iteration as the program itself runs it.
struct Iteration {
  static constexpr const char* kType = "iteration";
};

/// The recorded iteration, each launch as soon as those are done that the program made it wait for: streams
/// run side by side as in the program, without the host's pauses.
struct Overlapped {
  static constexpr const char* kType = "overlapped";
};

/// Work for meters that are slower than launches: nothing is timed within, and the device does not pause
/// between repeats, nor between one enqueue and the next that was made before the first was over. A repeat is
/// `plain` iterations in a row, behind which memory is put back (with none and nothing marked that alone),
/// and then, where launches are `marked`, one more in which what each of them writes is copied over it again
/// right behind it; with `left_out` they are not played, and the copies alone leave what they would have
/// written. So two works that differ in `left_out` alone differ by the marked launches, each played where,
/// when and with the data that it is played with in the iteration. With `only` it is these launches alone,
/// `plain` times in a row, and nothing is put back: where they overwrite what they read, they go on from
/// that.
struct Steady {
  static constexpr const char* kType = "steady";
  int plain = 1;
  std::vector<LaunchIndex> marked{};
  bool left_out = false;
  /// Before the iteration with marked launches others push everything out of the caches.
  bool flushed = false;
  std::vector<LaunchIndex> only{};
  /// Before each iteration, and once where a repeat has none, so long as Track::pause() says; at first not.
  bool may_pause = false;
};

/// Launches in order and unbroken, with a stamp (a kernel of one thread that writes the device clock) after
/// some of them. Memory is restored after each repeat, never within one. The first launch should be the
/// iteration's first: then every launch meets the memory that it met in the program, as long as the order is
/// the iteration's.
struct Stamped {
  static constexpr const char* kType = "stamped";
  std::vector<LaunchIndex> launches;
  std::vector<uint32_t> after;  ///< ascending places in `launches`, two or more; a stamp follows each
};

/// Kernels of kjoule's own that do nothing, in one unbroken chain between two stamps. What they take tells
/// whether the device still lets kernels follow each other as quickly as before.
struct EmptyKernels {
  static constexpr const char* kType = "empty_kernels";
  int count = 600;
};

using TrackSpec = std::variant<Iteration, Sequence, Overlapped, Steady, Stamped, EmptyKernels>;

/// What came of one enqueue.
struct Played {
  /// Seconds of each timed stretch: repeats x segments, row by row (an Iteration has one segment). Of Steady
  /// work what adds up to all repeats together, as the device saw them. Of Stamped work and EmptyKernels the
  /// distances of successive stamps: repeats x (stamps - 1).
  std::vector<double> seconds;
  /// Mean clock of the device's processors from the first stretch's begin to the last one's end, one for each
  /// repeat; empty where the device does not tell.
  std::vector<double> clock_hz;
  int64_t begin_ns = 0;  ///< steady time; begin and end bracket exactly the work of this enqueue
  int64_t end_ns = 0;
};

/// The device or the process behind it failed. `launch` names the culprit where it is known; when `lost` is
/// set nothing more can be played on this device.
class DeviceError : public Error {
 public:
  DeviceError(const std::string& cause, std::string remedy, std::optional<LaunchIndex> launch = {},
              bool lost = false)
      : Error(cause, std::move(remedy)), launch(launch), lost(lost) {}
  std::optional<LaunchIndex> launch;
  bool lost;
};

/// The program ended by itself before an iteration of it was recorded.
class EndedError final : public DeviceError {
 public:
  EndedError(const std::string& cause, std::string remedy)
      : DeviceError(cause, std::move(remedy), {}, true) {}
};

/// Work that a device can do again and again. Asynchronous, so that the device need never idle between
/// readings.
class Track {
 public:
  virtual ~Track() = default;
  virtual void enqueue(int repeats) = 0;  ///< returns at once
  /// How long Steady work that may pause does so from the next enqueue on, in s. Throws Error for other work.
  virtual void pause(double /*seconds*/) {
    throw Error("this work does not pause", "this is a fault in kjoule");
  }
  virtual Played wait() = 0;  ///< for the oldest enqueued; throws DeviceError
};

/// What the estimator and the reports need to know of a device.
struct DeviceInfo {
  nlohmann::json description;  ///< kind, name, threads, versions: copied into every result
  /// A timed stretch may begin in the midst of work without changing what it times (CPU: one clock read;
  /// not so on CUDA, where an event drains the pipeline).
  bool clean_edges = false;
  /// The program's own iteration runs its launches one after another (CPU), so that it is the whole;
  /// otherwise the whole is the recorded launches played in one stretch.
  bool serial_iteration = false;
  /// An Iteration can be opened: the program can be run again and again, not only its recorded launches.
  bool runs_program = false;
  /// Whether the program's launches can be seen; where not, record() throws and says why.
  bool recordable = true;
  /// Logs when each launch of the recorded iteration ran: observe() gives it.
  bool keeps_timeline = false;
};

/// What replay made of each launch's outputs, compared bit by bit with those recorded.
struct Verification {
  int launches = 0;
  std::vector<LaunchIndex> different;                       ///< played in order or alone, outputs differ
  std::vector<std::pair<LaunchIndex, std::string>> failed;  ///< threw when replayed
  /// Of those that differ: wrote many infinities or NaNs where the program did not. Types are guessed.
  std::vector<LaunchIndex> non_finite;
  /// Outputs differ, and from one replay to the next too, or the launch comes after one of which this is
  /// true: nothing follows from its bits.
  std::vector<LaunchIndex> varying;
};

/// Records a program and opens Tracks on it. Not thread-safe.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Records one iteration; Sequences refer to it. Throws Error when two iterations differ.
  virtual Recording record() = 0;
  /// Replays every recorded launch, in order and alone, and compares its outputs.
  virtual Verification verify() = 0;
  virtual std::unique_ptr<Track> open(const TrackSpec& spec) = 0;
  /// What the device's own timeline says of what was recorded; nothing where it keeps none.
  virtual std::optional<Observation> observe() { return std::nullopt; }
  /// Called before each round of measurements. A device that can be reproduced makes what follows depend on
  /// `round` alone, so that a resumed run continues exactly as the uninterrupted one.
  virtual void begin_round(int round) = 0;
};

// Conversion to and from messages (base/json_fields).

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
void describe(Fields&, Overlapped&) {}
template <class Fields>
void describe(Fields& fields, Steady& steady) {
  fields("plain", steady.plain);
  fields("marked", steady.marked);
  fields("left_out", steady.left_out);
  fields("flushed", steady.flushed);
  fields("only", steady.only);
  fields("may_pause", steady.may_pause);
}
template <class Fields>
void describe(Fields& fields, Stamped& stamped) {
  fields("launches", stamped.launches);
  fields("after", stamped.after);
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
void describe(Fields& fields, Played& played) {
  fields("seconds", played.seconds);
  fields("clock_hz", played.clock_hz);
  fields("begin_ns", played.begin_ns);
  fields("end_ns", played.end_ns);
}
template <class Fields>
void describe(Fields& fields, DeviceInfo& info) {
  fields("description", info.description);
  fields("clean_edges", info.clean_edges);
  fields("serial_iteration", info.serial_iteration);
  fields("runs_program", info.runs_program);
  fields("recordable", info.recordable);
  fields("keeps_timeline", info.keeps_timeline);
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
