#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kjoule {

/// The numbers of a shape, in the order of its columns.
using SampleShape = std::vector<int64_t>;

/// The values of one number of a shape: from `start` up to `end`, the end included where a step meets it.
struct SweptNumber {
  enum class Growth { add, mul };
  std::string name;
  int64_t start, step, end;
  Growth growth;

  /// Rising. Throws Error when they are none, or never end.
  std::vector<int64_t> values() const;
};

/// All shapes of a sweep, in the order of an odometer: the last number moves fastest.
class Sweep {
 public:
  /// Throws Error naming the number that has no values, or when there are more than 10 million shapes.
  explicit Sweep(const std::vector<SweptNumber>& numbers);
  size_t size() const { return size_; }
  /// From 0.
  SampleShape shape(size_t index) const;

 private:
  std::vector<std::vector<int64_t>> values_;
  size_t size_ = 1;
};

/// The part, from 1, to which a sample belongs that is number `sample`, from 1, of the whole sweep.
size_t part_of_sample(size_t sample, size_t parts);

}  // namespace kjoule
