#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kjoule {

/// Puts the readings of meters that each speak about once a second into common seconds of the wall clock, so
/// that every reading is in exactly one row. A reading that finds its second taken, as the meter's second is
/// not quite ours, goes into the next one, or else into a second row of its own second.
class Seconds {
 public:
  explicit Seconds(size_t meters) : meters_(meters) {}

  struct Row {
    int64_t unix_ns = 0;
    std::vector<std::optional<double>> watts{};
  };
  void add(size_t meter, int64_t unix_ns, double watts);
  /// The rows, by time, that nothing can come into any more at that time.
  std::vector<Row> take_complete(int64_t unix_ns);
  /// All that are left.
  std::vector<Row> take_rest();

 private:
  /// Into a row of that second that has none of the meter yet; false when all have.
  bool place(int64_t second, size_t meter, double watts);
  void add_row(int64_t second, size_t meter, double watts);
  std::vector<Row> take_until(int64_t second);

  size_t meters_;
  std::multimap<int64_t, Row> rows_;  ///< by second
  int64_t written_ = 0;               ///< rows up to this second were taken
};

}  // namespace kjoule
