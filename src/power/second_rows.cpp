#include "power/second_rows.hpp"

#include <limits>

#include "power/instant.hpp"

namespace kjoule {

namespace {

/// The longest time that a reading needs from the meter to this program.
constexpr int64_t kGrace_ns = kNsPerSecond / 2;
/// Larger differences in time than this are caused by a clock that was set.
constexpr int64_t kLate_s = 5;

}  // namespace

bool SecondRows::place(int64_t second, size_t meter, double watts) {
  const auto [begin, end] = rows_.equal_range(second);
  for (auto row = begin; row != end; ++row) {
    if (row->second.watts[meter]) continue;
    row->second.watts[meter] = watts;
    return true;
  }
  if (begin == end) add_row(second, meter, watts);
  return begin == end;
}

void SecondRows::add_row(int64_t second, size_t meter, double watts) {
  Row row{second * kNsPerSecond, std::vector<std::optional<double>>(meters_)};
  row.watts[meter] = watts;
  rows_.emplace(second, std::move(row));
}

void SecondRows::add(size_t meter, int64_t unix_ns, double watts) {
  int64_t second = unix_ns / kNsPerSecond;
  // The reading is late by a few seconds at most; if it is older, the clock was set back.
  if (second <= written_ && written_ - second < kLate_s) second = written_ + 1;
  int64_t& newest = newest_[meter];
  const int64_t ahead = newest - second;
  if (ahead > 0 && ahead < kLate_s) second = newest;  // readings of one meter stay in order
  if (place(second, meter, watts)) {
    newest = second;
  } else if (ahead > 0) {  // this meter is faster than one reading per second
    add_row(second, meter, watts);
  } else {
    newest = second + 1;
    if (!place(newest, meter, watts)) add_row(newest, meter, watts);
  }
}

std::vector<SecondRows::Row> SecondRows::take_complete(int64_t unix_ns) {
  // A reading of the previous second may still move into this one.
  return take_until((unix_ns - kGrace_ns) / kNsPerSecond - 1);
}

std::vector<SecondRows::Row> SecondRows::take_rest() {
  return take_until(std::numeric_limits<int64_t>::max());
}

std::vector<SecondRows::Row> SecondRows::take_until(int64_t last) {
  std::vector<Row> taken;
  while (!rows_.empty() && rows_.begin()->first <= last) {
    written_ = rows_.begin()->first;
    taken.push_back(std::move(rows_.begin()->second));
    rows_.erase(rows_.begin());
  }
  return taken;
}

}  // namespace kjoule
