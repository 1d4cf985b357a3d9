#include "importers/repeated_ends.hpp"

#include <algorithm>

namespace kjoule {

RepeatedEnds::RepeatedEnds(uint64_t largest_window)
    : matched_(std::make_unique_for_overwrite<uint32_t[]>(largest_window / 2 + 1)) {}

void RepeatedEnds::start(uint64_t end, uint64_t window) {
  end_ = end;
  window_ = window;
  lag_ = 1;
  box_lag_ = box_end_ = 0;
  extending_ = false;
}

/// Extends the match at `lag_`. Returns false if the steps ran out before its end was found.
bool RepeatedEnds::extend(const LaunchHistory& history, int64_t& steps) {
  const uint64_t limit =
      std::min(window_ - lag_, length_ + static_cast<uint64_t>(std::max<int64_t>(steps, 0)));
  const uint64_t before = length_;
  uint64_t number = end_ - 1 - length_;
  while (length_ < limit && history.shape_hash(number) == history.shape_hash(number - lag_)) {
    ++length_;
    --number;
  }
  steps -= static_cast<int64_t>(length_ - before) + 1;
  return length_ < limit || length_ == window_ - lag_;
}

std::optional<RepeatedEnd> RepeatedEnds::next(const LaunchHistory& history, int64_t& steps) {
  for (; !done(); ++lag_) {
    if (!extending_) {
      if (steps <= 0) return {};
      --steps;
      length_ = 0;
      if (lag_ < box_end_) {
        const uint64_t inside = box_end_ - lag_;
        length_ = std::min<uint64_t>(matched_[lag_ - box_lag_], inside);
        extending_ = length_ == inside;
      } else {
        extending_ = true;
      }
    }
    if (extending_) {
      if (!extend(history, steps)) return {};
      extending_ = false;
      box_lag_ = lag_;
      box_end_ = lag_ + length_;
    }
    matched_[lag_] = static_cast<uint32_t>(length_);
    if (length_ >= lag_) {
      const RepeatedEnd repeated{lag_, length_};
      ++lag_;
      return repeated;
    }
  }
  return {};
}

}  // namespace kjoule
