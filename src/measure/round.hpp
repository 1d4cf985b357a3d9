#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace kjoule {

/// One complete round of measurements: the whole, and the passes of a sweep over all launches with the whole
/// after each or, where edges are not clean, among them. All times in seconds. The unit of resuming: what is
/// in a Round is never measured again.
struct Round {
  int number = 0;
  int window = 0;                    ///< launches before each launch that make its context
  std::vector<double> whole_s;       ///< each run of the whole
  std::vector<double> eager_s;       ///< each run of the program's own iteration, where that is not the whole
  std::vector<double> played_s;      ///< each run of the recorded launches in one stretch, likewise
  std::vector<double> in_context_s;  ///< each launch, mean over the round's sweeps; 0 for excluded ones
  std::vector<double> timeline_s;    ///< each launch inside the played whole, where edges are clean
  /// The whole among the launches, mean over the round's sweeps, where edges are not clean.
  std::optional<double> among_s;
  /// Mean clock of the device's processors over the plays of the whole and of the sweep, where it tells.
  std::optional<double> whole_clock_hz, sweep_clock_hz;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t spent_ns = 0;  ///< measuring time of this and all earlier rounds
};

nlohmann::json to_row(const Round& round);
/// Throws Error naming the field that is missing or wrong.
Round round_from_row(const nlohmann::json& row);

}  // namespace kjoule
