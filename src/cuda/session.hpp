#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule::inject {

/// What becomes of a launch that the program is about to make.
enum class Step {
  watch,    ///< goes on
  begin,    ///< first of the iteration to record
  record,   ///< belongs to it
  abandon,  ///< the iteration came otherwise than those before; watched again
  end,      ///< the recording is complete; this launch does not belong to it
};

/// Host times between which the program made an iteration.
struct IterationSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  bool operator==(const IterationSpan&) const = default;
};

/// Decides when to record. Told of every launch of the program and of its named ranges, in order.
class Session {
 public:
  virtual ~Session() = default;
  /// Hashes of what is launched and of its arguments; host time, where that is needed. A graph of `launches`
  /// nodes counts as that many launches.
  virtual Step next(uint64_t signature, uint64_t arguments, int64_t time_ns, uint64_t launches = 1) = 0;
  /// Whether the next launch's host time matters: a watched program pays for every look at the clock.
  virtual bool needs_time() const { return false; }
  virtual void range_begins(std::string_view, int64_t /*time_ns*/) {}
  /// True when the recording is complete with it.
  virtual bool range_ends(std::string_view, int64_t /*time_ns*/) { return false; }
  virtual uint64_t launches() const = 0;
  /// The iterations that were let pass.
  virtual std::vector<IterationSpan> passed() const = 0;
  /// For a message when nothing was recorded: what came closest to an iteration.
  virtual std::string best_guess() const = 0;
};

}  // namespace kjoule::inject
