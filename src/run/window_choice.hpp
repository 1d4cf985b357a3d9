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

/// What is recorded next of a running program, and what is known of the loops in it.
struct NextWindow {
  WindowSearch search;
  std::map<uint32_t, PartFacts> loops{};  ///< by the number of the pattern in `search`
};

/// Chooses the windows of a running program, from the log of its run so far. They are a random sample,
/// stratified by the launch sequences of the run: first an iteration of each loop that has kernels which were
/// not measured, then a window anywhere, two windows right after launches of such kernels, and so on. No
/// choice depends on a measured time.
class WindowChoice {
 public:
  /// Windows of programs that are measured with the same seed are drawn alike.
  explicit WindowChoice(uint64_t seed) : words_(seed) {}
  /// Returns what is searched for next. `measured` are the kernels that were measured so far.
  NextWindow next(const RunLog& log, const MeasuredKernels& measured);

 private:
  NextWindow unmeasured_loops(const RunLog& log, const RunSummary& summary, const MeasuredKernels& measured);
  WindowPlace anywhere(const RunLog& log);
  /// Returns the launches that end with one of an unmeasured kernel; none if there is no such launch.
  std::vector<ExpectedLaunch> before_unmeasured(const RunLog& log, const MeasuredKernels& measured);

  std::mt19937_64 words_;
  std::map<std::vector<uint64_t>, int> tried_;  ///< searches for a loop, by the hashes of its launches
  int turn_ = 0;
};

}  // namespace kjoule
