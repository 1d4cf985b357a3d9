#pragma once
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "device/window_search.hpp"
#include "recording/chosen_phases.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// The window of a running program to record next, and facts about the loops from which it may come.
struct NextWindow {
  WindowSearch search;
  std::map<uint32_t, PartFacts> loops{};  ///< facts of each loop in `search`, by PhasePattern::number
};

/// Chooses the windows of a running program, from the log of its run so far. The windows are a random sample,
/// stratified by the launch sequences of the run. First comes an iteration of each loop that has kernels not
/// measured yet. Then one window at a random place and two windows directly after launches of kernels not
/// measured yet follow in turn. No choice depends on a measured time.
class WindowChoice {
 public:
  /// The random numbers of the choice depend only on `seed`.
  explicit WindowChoice(uint64_t seed) : words_(seed) {}
  /// Returns the window to search for next. `measured` are the kernels that were measured so far.
  NextWindow next(const RunLog& log, const MeasuredKernels& measured);

 private:
  NextWindow unmeasured_loops(const RunLog& log, const RunSummary& summary, const MeasuredKernels& measured);
  WindowPlace anywhere(const RunLog& log);
  /// Returns successive launches, the last of which belongs to a kernel that was not measured. Returns an
  /// empty list if there is no such launch.
  std::vector<ExpectedLaunch> before_unmeasured(const RunLog& log, const MeasuredKernels& measured);

  std::mt19937_64 words_;
  /// Number of searches for each loop, by the hashes of the loop's launches.
  std::map<std::vector<uint64_t>, int> tried_;
  int turn_ = 0;
};

}  // namespace kjoule
