#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// What a sampled time is of: one pass through an operator, or a whole optimizer step.
enum class Direction { forward, backward, step };

/// "forward", "backward", "step".
std::string direction_name(Direction direction);
/// Also takes the names of the guide's tool: fwd, bwd, dur. Throws Error for another one.
Direction direction_of(const std::string& name);

/// What of a pass was measured: its time, us, or its energy, J.
enum class Measurand { time, energy };

/// Shapes and what was measured of each: us or J.
struct MeasuredShapes {
  std::vector<std::vector<double>> shapes;
  std::vector<double> costs;
};

/// One operator measured over shapes, as GPU_OPERATOR_PRECISION.csv holds it.
struct Samples {
  std::vector<std::string> columns;         ///< of the shape
  std::vector<std::vector<double>> shapes;  ///< one per row, as long as `columns`
  std::map<Direction, std::vector<double>> us;
  std::map<Direction, std::vector<std::optional<double>>> joules;  ///< nothing where a row has none

  /// The rows in which it was measured; none when the table has no such column.
  MeasuredShapes of(Direction direction, Measurand measurand) const;
};

/// Reads a table whose header is the shape's columns, then F_dur(us) and B_dur(us), or dur(us) alone,
/// and behind their times, where energy was measured, F_energy(J), B_energy(J) or energy(J), whose cells may
/// be empty. Throws Error with file and line for another header, also for other columns than those of
/// `operation` where kjoule knows it, a row of another length, a size that is no whole number from 1, and a
/// time or energy that is not above zero.
Samples read_samples(std::string_view csv, const std::string& file, const std::string& operation = {});

}  // namespace kjoule
