#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/run_comparison.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_sums.hpp"
#include "run/subject.hpp"
#include "run/window_choice.hpp"

namespace kjoule {

/// Seed of the places of windows, so that they are the same in each run of a program.
constexpr uint64_t kPlacesSeed = 1;

/// Limits of measuring windows of a running program.
struct WindowLimits {
  double search_s = 10;  ///< of the program's own time: work until then may be its preparation
  double paused_s = 30;  ///< sum of all pauses, without energy; half of it is kept for work after `search_s`
  double share = 0.95;   ///< of the kernel time seen so far, after which nothing more is measured
  /// Windows that are measured at least, so that they show how much they differ, while there is time; after
  /// `search_s` at even distances, if the share is reached before.
  size_t fewest = 5;
};

/// Returns the part of a run that a recorded window is, as far as it is known before its time is measured.
PartFacts window_facts(const Recording& recording);

/// A measured window of a running program.
struct MeasuredWindow {
  MeasuredPhase phase;
  double energy_s = 0;  ///< for which the program was paused for the window's energy
};

/// Measures windows of a running program in place, one after another, while it runs on between them.
class WindowMeasurement {
 public:
  /// Measures a recorded window, of which `facts` is the part of the run.
  using Measure = std::function<MeasuredWindow(uint32_t number, const PartFacts& facts, Subject&, Recording)>;

  /// `log` is the folder in which the program's run is logged (InjectionOptions::run_log).
  WindowMeasurement(std::filesystem::path log, std::optional<int> gpu, WindowLimits limits, Measure measure);

  /// Takes note that the program has made its first launch.
  void begin() { begin_ = Clock::now(); }
  /// Takes note that the first choice was made now: the time for later work counts from here.
  void end_search() { limits_.search_s = std::min(limits_.search_s, run_s()); }
  /// Takes note of a loop that was measured already, with the program paused since end_search(). If its
  /// iterations do not differ, it stands for all windows.
  void add_loop(const Recording& recording, bool iterations_differ);
  /// Measures windows until the measured kernels have the wanted share of the time of all kernels, or the
  /// limits are reached, or the program ends. A closed subject, whose program cannot go on, is not measured.
  RunComparison measure(Subject& subject);
  /// Returns the exit code of a program that ended by itself meanwhile; nothing if it runs.
  std::optional<int> exit_code() const { return exit_code_; }
  /// Returns whether no window was recorded because the program launched nothing any more, or ended.
  bool came_too_late() const;
  /// Returns the window, with lead and tail, that ended the program, because a launch of it faulted when it
  /// was replayed; nothing if there is none.
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
  /// Returns whether no further window is to be measured.
  bool is_over() const;
  /// Returns whether the rest of the time for pauses is kept for later work.
  bool must_wait() const;

  std::filesystem::path log_;
  std::optional<int> gpu_;
  WindowLimits limits_;
  Measure measure_;
  WindowChoice choice_;
  MeasuredKernels kernels_;
  std::vector<MeasuredPhase> measured_;
  std::vector<LeftPhase> refused_;
  size_t loops_ = 0;  ///< that were measured before the windows
  Clock::time_point begin_ = Clock::now();
  double paused_s_ = 0;  ///< without energy
  double energy_s_ = 0;  ///< pauses for energy
  double share_ = 0;
  bool has_recorded_ = false;  ///< whether a window was recorded, or refused
  int refusals_ = 0;           ///< in a row
  int idle_searches_ = 0;      ///< searches in a row in which the program launched nothing
  size_t operations_ = 0;      ///< in the log at the last search
  std::optional<int> exit_code_;
  std::optional<LaunchRange> faulted_;
};

}  // namespace kjoule
