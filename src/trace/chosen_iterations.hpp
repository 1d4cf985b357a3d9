#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "trace/period.hpp"

namespace kjoule {

/// Iterations that a program marks itself: one is all that is launched within an NVTX range of a name. A
/// range of that name within another one is part of it. Not thread-safe.
class RangeIterations {
 public:
  /// The first `skip` ranges are not iterations. Throws Error when the name is empty.
  explicit RangeIterations(std::string name, uint64_t skip = 0);

  /// True when an iteration begins with the next launch.
  bool range_begin(std::string_view name);
  /// True when an iteration ends with the last launch. A range that ends without a beginning is passed over.
  bool range_end(std::string_view name);
  /// Every launch; as PeriodFinder::add().
  void add(uint64_t = 0, uint64_t = 0, int64_t = 0) { ++launches_; }

  /// The last whole iteration that launched anything.
  const std::optional<Period>& found() const { return found_; }
  bool within() const { return depth_ > 0 && ranges_ > skip_; }
  /// Ranges of the name that began so far, skipped ones too: for a message when there was none.
  uint64_t ranges() const { return ranges_; }
  uint64_t launches() const { return launches_; }

 private:
  std::string name_;
  uint64_t skip_, ranges_ = 0, depth_ = 0, launches_ = 0, first_ = 0;
  std::optional<Period> found_;
};

/// The iteration that a user names by launch numbers: "614..1228" are launches 614 to 1227, counted from 0;
/// as long again after that comes the next one. Throws Error when it is not two numbers, the second one
/// larger.
Period parse_launch_numbers(const std::string& text);

/// Says what repeated most and how to choose it or something else, for programs in which no iteration was
/// found.
std::string choice_text(const BestGuess& guess);

}  // namespace kjoule
