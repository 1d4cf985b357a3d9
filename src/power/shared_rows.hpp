#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kjoule {

/// Rows of the readings of meters that report about once per second. Readings of different meters share a row
/// if their times differ by at most kTogether_ns. Every reading is in exactly one row, and those of one meter
/// are in the order in which they were added.
class SharedRows {
 public:
  static constexpr int64_t kTogether_ns = 750'000'000;

  explicit SharedRows(size_t meters) : meters_(meters), newest_ns_(meters) {}

  struct Row {
    int64_t unix_ns = 0;                         ///< mean time of its readings
    std::vector<std::optional<double>> watts{};  ///< by meter; absent if it has no reading in this row
  };
  void add(size_t meter, int64_t unix_ns, double watts);
  /// Returns and removes the rows, sorted by their first readings, to which no reading can be added after the
  /// time `unix_ns`.
  std::vector<Row> take_complete(int64_t unix_ns);
  /// Returns and removes all remaining rows.
  std::vector<Row> take_rest();

 private:
  using Rows = std::multimap<int64_t, Row>;

  /// Returns the row nearest to the time that the meter may share: one that follows its latest row, and that
  /// has none of its readings. Returns rows_.end() if there is none.
  Rows::iterator row_to_share(size_t meter, int64_t unix_ns);
  std::vector<Row> take_until(Rows::iterator end);

  size_t meters_;
  std::vector<std::optional<int64_t>> newest_ns_;  ///< by meter: key of its latest row
  Rows rows_;                                      ///< by the time of the row's first reading, ns
};

}  // namespace kjoule
