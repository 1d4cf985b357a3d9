#pragma once
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "measure/round.hpp"
#include "play/device.hpp"

namespace kjoule {

/// When to stop, and with which windows.
struct RoundOptions {
  double precision = 0.01;   ///< asked half-width of the sum's 95 % interval, as a share of the whole
  double time_limit_s = 10;  ///< of measuring
  int window = 0;            ///< 0: as many as are needed to see what their choice does
};

/// How often each part of a round is repeated, so that short programs are not drowned in the cost of a
/// reading. Made once and kept with the results: a resumed run must not measure anew what its rounds are made
/// of.
struct RoundPlan {
  int iterations = 1;          ///< runs of the program's own iteration, before and after the sweep
  int stretches = 1;           ///< plays of the recorded launches in one stretch, before and after
  int stretch_iterations = 1;  ///< iterations in that stretch
  size_t lead = 0;             ///< launches played untimed before each stretch of a sweep
  int wholes_among = 0;        ///< wholes among the launches of a sweep; unused where edges are clean
  int among_iterations = 0;    ///< iterations of each of them; 0 where edges are clean
  std::map<int, int> sweeps;   ///< for each window
  /// What one iteration takes before any other graph is opened on the device; nothing where edges are clean.
  std::optional<double> first_whole_s;
};

nlohmann::json to_row(const RoundPlan& plan);
RoundPlan plan_from_row(const nlohmann::json& row);

/// Times each part once. `window` 0: every window that is used.
RoundPlan make_plan(Device& device, size_t launches, const std::set<LaunchIndex>& excluded, int window);

/// Why measuring stopped.
enum class Stopped { precise, windows_differ, time_limit };
/// As rows and reports say it.
const char* words_of(Stopped stopped);

/// Measures rounds until the sum is as precise as asked, as precise as it can be, or the time is used up.
///
/// `rounds` holds what an earlier, killed run completed and receives the new ones; each new one is told to
/// `on_round` before the next begins. The windows take turns. Rounds also end when the windows differ by so
/// much that more rounds would not narrow the interval. The DeviceError of a launch that cannot be played is
/// passed on; the caller excludes its kernel and calls again.
Stopped measure_rounds(Device& device, const Clock& clock, size_t launches,
                       const std::set<LaunchIndex>& excluded, const RoundPlan& plan,
                       const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress);

}  // namespace kjoule
