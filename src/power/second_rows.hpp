#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kjoule {

/// Rows of the readings of meters that report about once per second: one row for each second of the wall
/// clock. Every reading is in exactly one row, and those of one meter are in the order in which they were
/// added. A meter's interval differs slightly from 1 s, so two of its readings may fall into one second; the
/// later one then goes into the next second. If the meter is already ahead by such a reading, the second gets
/// another row instead.
class SecondRows {
 public:
  explicit SecondRows(size_t meters) : meters_(meters), newest_(meters, 0) {}

  struct Row {
    int64_t unix_ns = 0;
    std::vector<std::optional<double>> watts{};  ///< by meter; absent if it has no reading in this row
  };
  void add(size_t meter, int64_t unix_ns, double watts);
  /// Returns and removes the rows, sorted by time, to which no reading can be added after the time `unix_ns`.
  std::vector<Row> take_complete(int64_t unix_ns);
  /// Returns and removes all remaining rows.
  std::vector<Row> take_rest();

 private:
  /// Adds the reading to a row of `second` that has none of this meter yet. Returns false if all rows have
  /// one.
  bool place(int64_t second, size_t meter, double watts);
  void add_row(int64_t second, size_t meter, double watts);
  std::vector<Row> take_until(int64_t second);

  size_t meters_;
  std::vector<int64_t> newest_;       ///< second of each meter's latest row
  std::multimap<int64_t, Row> rows_;  ///< by second
  int64_t written_ = 0;               ///< rows up to this second were removed
};

}  // namespace kjoule
