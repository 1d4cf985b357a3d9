#pragma once
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "cuda/activity_log.hpp"
#include "cuda/call.hpp"
#include "cuda/stage.hpp"
#include "device/observation.hpp"

namespace kjoule::driver {

/// Logs the iteration that the program makes by the device's own records. That it could not be logged, as
/// when another profiler is at it, stops nothing: it is told when one asks.
class ObservedIteration {
 public:
  explicit ObservedIteration(const Cupti& cupti) : cupti_(cupti) {}
  void begin();
  /// The device has come to rest.
  void end(const std::vector<Call>& calls, CUcontext context);
  /// The audit and the activities. Throws Error that says why there are none.
  Observation observation() const;
  /// Throws Error likewise.
  ActivityLog& log();

 private:
  const Cupti& cupti_;
  std::optional<ActivityLog> log_;
  Observation seen_;
  std::optional<Error> failure_;
};

/// What each launch takes inside the played whole, by the device's own records: duration and the gap before
/// it, s, median over some plays. Throws Error when the records do not show the launches.
std::vector<double> times_in_whole(const Stage& stage, ActivityLog& log);

}  // namespace kjoule::driver
