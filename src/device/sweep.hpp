#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kjoule {

/// The numbers of one shape, in the order of its columns.
using SampleShape = std::vector<int64_t>;

/// The values of one number of a shape: from `start` up to `end`. `end` is included if a step meets it.
struct SweptNumber {
  /// How a value follows from the one before: `step` is added, or it is the factor.
  enum class Growth { add, mul };
  std::string name;
  int64_t start, step, end;
  Growth growth;

  /// Returns the values in ascending order. Throws Error if there are none or too many, or if they never
  /// reach the end.
  std::vector<int64_t> values() const;
};

/// All shapes of a sweep, in lexicographic order: the last number changes fastest.
class Sweep {
 public:
  /// Throws Error with the name of a number that has no values, and if there are more than 10 million shapes.
  explicit Sweep(const std::vector<SweptNumber>& numbers);
  /// Returns the number of shapes.
  size_t size() const { return size_; }
  /// Returns the shape with that index, from 0.
  SampleShape shape(size_t index) const;

 private:
  std::vector<std::vector<int64_t>> values_;
  size_t size_ = 1;
};

/// Returns the part, from 1, that contains sample number `sample` (from 1) of the whole sweep, when the sweep
/// is divided into `parts` parts.
size_t part_of_sample(size_t sample, size_t parts);

}  // namespace kjoule
