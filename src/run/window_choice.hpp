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

/// The window of a running program that is recorded next, and facts about the loops that it may be in.
struct NextWindow {
  WindowSearch search;
  std::map<uint32_t, PartFacts> loops{};  ///< by the number of the loop's pattern in `search`
};

/// Chooses the windows of a running program, from the log of its run so far. They are a random sample,
/// stratified by the launch sequences of the run: first an iteration of each loop with kernels that were not
/// measured yet, then in turns one window anywhere and two windows directly after launches of such kernels.
/// No choice depends on a measured time.
class WindowChoice {
 public:
  /// The random numbers of the choice depend only on `seed`.
  explicit WindowChoice(uint64_t seed) : words_(seed) {}
  /// Returns the window to search for next. `measured` are the kernels that were measured so far.
  NextWindow next(const RunLog& log, const MeasuredKernels& measured);

 private:
  NextWindow unmeasured_loops(const RunLog& log, const RunSummary& summary, const MeasuredKernels& measured);
  WindowPlace anywhere(const RunLog& log);
  /// Returns successive launches, the last of which is one of a kernel that was not measured; none if there
  /// is no such launch.
  std::vector<ExpectedLaunch> before_unmeasured(const RunLog& log, const MeasuredKernels& measured);

  std::mt19937_64 words_;
  std::map<std::vector<uint64_t>, int> tried_;  ///< searches for a loop, by the hashes of its launches
  int turn_ = 0;
};

}  // namespace kjoule
