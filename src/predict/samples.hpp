#pragma once
#include <map>
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

/// One operator measured over shapes, as GPU_OPERATOR_PRECISION.csv holds it.
struct Samples {
  std::vector<std::string> columns;         ///< of the shape
  std::vector<std::vector<double>> shapes;  ///< one per row, as long as `columns`
  std::map<Direction, std::vector<double>> us;
};

/// Reads a table whose header is the shape's columns, then F_dur(us) and B_dur(us), or dur(us) alone. Throws
/// Error with file and line for another header, a row of another length, and a time that is not above zero.
Samples read_samples(std::string_view csv, const std::string& file);

}  // namespace kjoule
