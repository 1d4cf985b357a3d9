#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/run/run_comparison.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_sums.hpp"
#include "run/subject.hpp"
#include "run/window_choice.hpp"

namespace kjoule {

/// Seed with which the places of windows are drawn, so that they are the same in each run of a program.
constexpr uint64_t kPlacesSeed = 1;

/// Limits of measuring windows of a running program.
struct WindowLimits {
  double search_s = 10;  ///< time of the program without pauses; earlier work may be its preparation
  double paused_s = 30;  ///< longest sum of all pauses, without those for energy; half of it is reserved for
                         ///< work after `search_s`
  double share = 0.95;   ///< no further window is measured if the measured kernels have this share of the
                         ///< kernel time so far
  /// Smallest number of windows, which shows how much they differ, if there is time for them. If `share` is
  /// reached earlier, the remaining windows are measured at even distances after `search_s`.
  size_t fewest = 5;
};

/// Returns which launches of the run the recorded window contains. Its times are not known yet.
PartFacts window_facts(const Recording& recording);

/// A measured window of a running program.
struct MeasuredWindow {
  MeasuredPhase phase;
  double energy_s = 0;  ///< time for which the program was paused to measure the window's energy
};

/// Measures windows of a running program one after another. The program runs between them.
class WindowMeasurement {
 public:
  /// Measures a recorded window, which is the part `facts` of the run.
  using Measure = std::function<MeasuredWindow(uint32_t number, const PartFacts& facts, Subject&, Recording)>;

  /// `log` is the folder in which the program's run is logged (InjectionOptions::run_log).
  WindowMeasurement(std::filesystem::path log, std::optional<int> gpu, WindowLimits limits, Measure measure);

  /// Starts the clock of the search. Call it when the program has made its first launch.
  void begin() { begin_ = Clock::now(); }
  /// Ends the search now, possibly before its limit, or after it if the program launched nothing for some
  /// time. The time for later work counts from here.
  void end_search();
  /// Adds a loop that was already measured, with the program paused since end_search(). If its iterations do
  /// not differ, no further window is necessary to show differences.
  void add_loop(const Recording& recording, bool iterations_differ);
  /// Measures windows until the measured kernels have the requested share of the time of all kernels, a limit
  /// is reached, or the program ends. Measures nothing if the subject is closed.
  RunComparison measure(Subject& subject);
  /// Returns the exit code of a program that ended by itself while windows were measured; nothing if it runs.
  std::optional<int> exit_code() const { return exit_code_; }
  /// Returns whether no window was recorded because the program launched nothing any more, or ended.
  bool came_too_late() const;
  /// Returns the launches of the window (lead and tail included) whose replay faulted, which ended the
  /// program; nothing if no replay faulted.
  const std::optional<LaunchRange>& faulted() const { return faulted_; }
  const MeasuredKernels& kernels() const { return kernels_; }
  /// Returns the measured kernels' share of the kernel time that was seen.
  double share() const { return share_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Records and measures the next window. Returns false if no further one is to be measured.
  bool measure_next(const RunLog& log, Subject& subject);
  bool measure_recorded(const NextWindow& next, Subject& subject, Recording recording);
  /// Reads the log of the run so far, and the measured kernels' share of it. Returns nothing if it has no
  /// operation yet.
  std::optional<RunLog> read_log();
  /// Returns for how long the program has run so far, s, without its pauses.
  double run_s() const;
  size_t windows() const { return loops_ + measured_.size(); }
  /// Returns whether a limit is reached, so that no further window is measured.
  bool is_over() const;
  /// Returns whether no window is measured now, because the remaining time for pauses is reserved for later
  /// work.
  bool must_wait() const;

  std::filesystem::path log_;
  std::optional<int> gpu_;
  WindowLimits limits_;
  Measure measure_;
  WindowChoice choice_;
  MeasuredKernels kernels_;
  std::vector<MeasuredPhase> measured_;
  std::vector<LeftPhase> refused_;
  size_t loops_ = 0;  ///< number of loops that were measured before the windows
  Clock::time_point begin_ = Clock::now();
  double paused_s_ = 0;  ///< pauses so far, without those for energy
  double energy_s_ = 0;  ///< pauses so far for energy
  double share_ = 0;
  bool has_recorded_ = false;  ///< whether a window was recorded, or refused
  int refusals_ = 0;           ///< successive windows that could not be replayed
  int idle_searches_ = 0;      ///< successive searches in which the program launched nothing
  size_t operations_ = 0;      ///< operations in the log at the last search
  std::optional<int> exit_code_;
  std::optional<LaunchRange> faulted_;
};

}  // namespace kjoule
