#pragma once
#include "base/process/progress.hpp"
#include "device/device.hpp"
#include "run/results_folder.hpp"

namespace kjoule {

/// The program's own iterations, which kjoule runs on a track in pieces of about a second (or of one
/// iteration, if that is longer), between which it shows the progress. Their number is that of
/// RunOptions::warmup and RunOptions::runs, or less if they would take longer than RunOptions::most_s.
class OwnIterations {
 public:
  /// All arguments must outlive the object.
  OwnIterations(Track& track, const RunOptions& options, Progress& progress);
  /// Runs the untimed iterations, at least one if any are requested. Returns their number.
  int warm_up();
  /// Runs up to `runs` timed iterations, but at least one.
  TrackTiming time(int runs);

 private:
  /// Runs up to `count` iterations, but only one after all pieces together have taken `until_s` seconds.
  TrackTiming run(int count, double until_s);
  int piece(int left, double until_s) const;

  Track& track_;
  const RunOptions& options_;
  Progress& progress_;
  double each_s_ = 0;    ///< time of one iteration in the latest piece; 0 before the first piece
  double passed_s_ = 0;  ///< time of all pieces so far
  int64_t done_ = 0;     ///< number of iterations so far
};

}  // namespace kjoule
