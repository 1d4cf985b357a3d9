#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kjoule {

/// The numbers of one shape, in the order of its columns.
using SampleShape = std::vector<int64_t>;

/// The values of one number of a shape: from `start` up to `end`. `end` is included if a step reaches it
/// exactly.
struct SweptNumber {
  /// The next value is the previous one plus `step` (add), or times `step` (mul).
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
  /// Throws Error if one of the numbers has no values, or if there are more than 10 million shapes.
  explicit Sweep(const std::vector<SweptNumber>& numbers);
  /// Returns the number of shapes.
  size_t size() const { return size_; }
  /// Returns the shape with that index, from 0.
  SampleShape shape(size_t index) const;

 private:
  std::vector<std::vector<int64_t>> values_;
  size_t size_ = 1;
};

/// Returns the number of the part that contains sample number `sample`, if the sweep is divided into `parts`
/// parts. Both numbers begin at 1.
size_t part_of_sample(size_t sample, size_t parts);

}  // namespace kjoule
