#pragma once
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "collectives/rank_processes.hpp"
#include "device/collective_operation.hpp"
#include "measure/meters/meter_record.hpp"
#include "run/rank_meters.hpp"

namespace kjoule {

/// The energy of one collective.
struct CollectiveEnergy {
  std::vector<double> readings_j;  ///< energy on all GPUs together in each reading, J
  std::vector<double> gpus_j;  ///< mean energy on each GPU, J; empty if the meter measures the whole machine
  double time_us = 0;          ///< mean time of one collective in these readings, us
  std::string meter;           ///< name of the source of the readings: "nvml-counter"
  std::string missing;         ///< why there are no readings; empty if there are

  /// Returns the mean over the readings with its 95 % interval, J.
  Interval joules() const;
};

/// The meters of the GPUs of a group, which are read while the ranks repeat a collective. The ranks must
/// outlive the object.
class CollectiveMeters {
 public:
  /// Opens the meters. If there are none, or the group is on several machines, each reading has the reason.
  /// Throws Error if a source that the user named is not available.
  CollectiveMeters(RankProcesses& ranks, const EnergyMeterOptions& options);
  /// Repeats the prepared collective, which takes about `about_s`, and reads the meters. The first call
  /// begins to poll the meters, which may delay launches, so all collectives must be timed before.
  CollectiveEnergy read(const CollectiveOperation& operation, double about_s);

 private:
  void begin();

  RankProcesses& ranks_;
  RankMeters meters_;
  std::vector<MeterRecord> records_;
};

}  // namespace kjoule
