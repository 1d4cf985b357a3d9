#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recording/iteration_position.hpp"
#include "recording/launch_identity.hpp"
#include "recording/recording.hpp"
#include "recording/run_sums.hpp"

namespace kjoule::cuda {

/// The action of ProgramMonitor at the launch that the program is about to make.
enum class Step {
  pass,     ///< let it pass
  begin,    ///< start recording: this is the first launch of the iteration
  record,   ///< record it as part of the iteration
  abandon,  ///< stop recording and continue to search: the iteration differs from previous ones
  end,      ///< stop recording: the iteration is complete without this launch
};

/// A launch that the program is about to make.
struct NextLaunch {
  uint64_t shape_hash = 0;    ///< LaunchHashes
  uint64_t address_hash = 0;  ///< hash of the parameters that are addresses in allocated memory
  int64_t time_ns = 0;        ///< host time, host time of the launch; 0 unless the session needs_time()
  uint64_t launches = 1;      ///< number of nodes if the launch is a graph; otherwise 1
  LaunchIdentity identity{};  ///< identity of the launch; 0 unless the session needs_identity()
  uint64_t collectives = 0;   ///< number of collectives among these launches
};

/// The host times at which an iteration of the program began and ended.
struct IterationSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  bool operator==(const IterationSpan&) const = default;
};

/// Returns the spans between consecutive host times.
inline std::vector<IterationSpan> spans_between(const std::vector<int64_t>& begins_ns) {
  std::vector<IterationSpan> spans;
  for (size_t i = 1; i < begins_ns.size(); ++i) spans.push_back({begins_ns[i - 1], begins_ns[i]});
  return spans;
}

/// Decides which launches are recorded. A session receives every launch and every named range of the program
/// in order.
class Session {
 public:
  virtual ~Session() = default;
  virtual Step next(const NextLaunch& launch) = 0;
  /// Returns whether next() needs LaunchIdentity, whose determination costs the program time.
  virtual bool needs_identity() const { return false; }
  /// Returns whether next() needs the host time of the next launch. Reading the clock costs the program time.
  virtual bool needs_time() const { return false; }
  /// Returns whether the time of the current iteration is kept. If true, kjoule must not slow the program
  /// down now.
  virtual bool is_timing() const { return false; }
  /// Returns whether the iteration to record is known, and only has to be reached by the program.
  virtual bool has_found() const { return false; }
  /// Registers that the host waited for the device before the next launch.
  virtual void wait_for_device() {}
  virtual void begin_range(std::string_view, int64_t /*time_ns*/) {}
  /// Returns true when the end of this range completes the recording.
  virtual bool end_range(std::string_view, int64_t /*time_ns*/) { return false; }
  /// Returns whether the last recorded launch is known to be the last launch of the iteration. If false, the
  /// recording ends only at the next launch, which may never come.
  virtual bool is_complete() const { return false; }
  /// Returns whether the recording is complete if the program makes no further launch.
  virtual bool may_end() const { return false; }
  /// Returns the numbers of recorded launches before and after the measured launches.
  virtual WindowEdges edges() const { return {}; }
  /// Discards the recorded iteration and searches for another one among the following launches. Returns false
  /// if the session does not search.
  virtual bool search_again() { return false; }
  /// Returns whether the iteration that follows the recorded one can be recorded, too.
  virtual bool can_record_next() const { return false; }
  /// Discards the recorded iteration and records the next one instead; only if can_record_next(). If a launch
  /// ended the recording, this launch is passed to next() again.
  virtual void record_next() {}
  /// Searches for the next iteration, after the recorded one was measured. Returns false if no further
  /// iteration is to be recorded.
  virtual bool go_on() { return false; }
  /// Returns whether several ranks record the iteration together.
  virtual bool is_shared() const { return false; }
  virtual uint64_t launches() const = 0;
  /// Returns the iterations that passed before the recorded one and whose times were kept.
  virtual std::vector<IterationSpan> passed_iterations() const = 0;
  /// Returns whether the host launched ahead of the device in the passed iterations, or may have done so. If
  /// so, their host times are not the times that the device needed.
  virtual bool runs_ahead() const { return false; }
  /// Returns a clause that states which launches are the iteration, and why; valid once it is recorded.
  virtual std::string describe_iteration() const = 0;
  /// Returns the loop to which the recorded iteration belongs, with its first known iteration; its length is
  /// 0 if the iterations differ in length. Returns nothing if the iteration was not found by repetition.
  virtual std::optional<IterationPosition> loop() const { return {}; }
  /// Returns the range of the measured launches of a window that is no iteration; nothing for an iteration.
  virtual std::optional<LaunchRange> window() const { return {}; }
  /// Returns the number of the recorded phase (PhasePattern); nothing if no phases are searched for.
  virtual std::optional<uint32_t> phase() const { return {}; }
  /// Returns a text for the message if nothing was recorded: the closest match to an iteration.
  virtual std::string best_guess() const = 0;
};

}  // namespace kjoule::cuda
