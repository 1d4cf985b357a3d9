#pragma once
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "cuda/driver/activity_log.hpp"
#include "cuda/replay/replay_context.hpp"
#include "cuda/watch/program_monitor.hpp"
#include "device/observation.hpp"

namespace kjoule::cuda {

/// Logs the device activities while the program itself runs its iteration. If logging fails, for example
/// because another profiler is active, the recording continues, and observation() and log() throw the error.
class ObservedIteration {
 public:
  /// With a `device` number, only activities of this GPU are logged.
  explicit ObservedIteration(const Cupti& cupti, std::optional<int> device = {})
      : cupti_(cupti), device_(device) {}
  void begin();
  /// Ends the log. `monitor` must have recorded the iteration, and the caller must have synchronised the
  /// device.
  void end(ProgramMonitor& monitor);
  /// Returns the audit and the activities. Throws Error with the reason when logging failed.
  Observation observation() const;
  /// Returns the total times of the activities; nothing if they were not logged or have no times.
  std::optional<TimelineTotals> totals() const;
  /// Returns the log. Throws Error with the reason when logging failed.
  ActivityLog& log();

 private:
  const Cupti& cupti_;
  std::optional<int> device_;
  std::optional<ActivityLog> log_;
  Observation observation_;
  std::optional<Error> failure_;
};

/// Times in s within the replayed whole, as medians over several replays.
struct TimesInWhole {
  std::vector<double> launch_s;  ///< each launch's duration plus the gap before it
  double gaps_s = 0;             ///< sum of all gaps
};

/// Returns the times of the launches within the replayed whole, from CUPTI's activity records. Throws Error
/// if the records do not match the launches.
TimesInWhole times_in_whole(const ReplayContext& context, ActivityLog& log);

}  // namespace kjoule::cuda
