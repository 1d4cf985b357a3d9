#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "importers/profiler_trace.hpp"

namespace kjoule {

/// The reason why the times of a launch are impossible, or possible only in a special case.
enum class TimeFault {
  ends_after_next,  ///< it ends after the next launch on its stream has ended
  ends_after_wait,  ///< it ends after the host has waited for the device
  exceeds_trace,    ///< it takes longer than all else in the trace, from the first to the last event
  overlaps_next     ///< it ends after the next launch on its stream began; dependent launches may do this
};

/// A launch with faulty times.
struct FaultyTime {
  uint32_t operation = 0;  ///< index in the trace
  TimeFault fault = TimeFault::ends_after_next;
  int64_t excess_ns = 0;  ///< time from the next launch's begin, or from the end of the wait, to its end
  uint32_t next = 0;      ///< index of the next launch on its stream, if the fault concerns it

  bool is_impossible() const { return fault != TimeFault::overlaps_next; }
};

/// Returns the launches among `operations` (indices of operations of one device) whose times are faulty, in
/// ascending order of their indices. Launches of CUDA graphs may overlap each other.
std::vector<FaultyTime> find_faulty_times(const ProfilerTrace& trace, const LaunchLinks& links,
                                          const std::vector<uint32_t>& operations);

/// Returns warnings that name the launches. `omitted` states whether the impossible ones were left out.
std::vector<std::string> faulty_time_warnings(const ProfilerTrace& trace,
                                              const std::vector<FaultyTime>& found, bool omitted);

}  // namespace kjoule
