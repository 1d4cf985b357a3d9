#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The sampled work: a forward or backward pass of an operator, or a whole optimizer step.
enum class Direction { forward, backward, step };

/// Returns "forward", "backward" or "step".
std::string direction_text(Direction direction);
/// Returns the direction of these names, or of the names of estimate-train-time (fwd, bwd, dur); nothing for
/// any other name.
std::optional<Direction> find_direction(const std::string& name);
/// Returns the direction like find_direction(). Throws Error for any other name.
Direction parse_direction(const std::string& name);

/// The measured quantity: time in us or energy in J.
enum class Measurand { time, energy };

/// Shapes and the measured cost of each, in us or J.
struct MeasuredShapes {
  std::vector<std::vector<double>> shapes;
  std::vector<double> costs;
};

/// Returns the number of different shapes.
size_t count_different(std::vector<std::vector<double>> shapes);

/// The samples of one operator, as in the table GPU_OPERATOR_PRECISION.csv.
struct Samples {
  std::vector<std::string> columns;             ///< columns of the shape
  std::vector<std::vector<double>> shapes;      ///< one per row, with one number per column
  std::map<Direction, std::vector<double>> us;  ///< by row
  std::map<Direction, std::vector<std::optional<double>>> joules;  ///< by row; absent if not measured

  /// Returns the rows that have the measurand for this direction; none if the table has no such column.
  MeasuredShapes select(Direction direction, Measurand measurand) const;
};

/// Reads a table. Its header contains the columns of the shape, followed by F_dur(us) and B_dur(us), or by
/// dur(us) alone. If energy was measured, F_energy(J) and B_energy(J), or energy(J), follow; their cells may
/// be empty.
///
/// Throws Error with file and line if the header has another form, if kjoule knows `operation` and its
/// columns differ from these, if a row has another length than the header, if a size is not a whole number of
/// at least 1, or if a time or energy is not above zero.
Samples read_samples(std::string_view csv, const std::string& file, const std::string& operation = {});

}  // namespace kjoule
