#pragma once
#include <optional>
#include <string_view>

namespace kjoule {

/// What a column or field holds for each kernel, as far as its heading states it.
enum class HeadingMeaning {
  other,
  count,     ///< number of launches
  total,     ///< time of all launches
  mean,      ///< mean time of a launch
  least,     ///< shortest time of a launch
  largest,   ///< longest time of a launch
  duration,  ///< a time; the heading does not state whether it is that of one launch or of all
};

/// The meaning of a heading of another tool's table.
struct KernelHeading {
  HeadingMeaning meaning = HeadingMeaning::other;
  /// For a time: the power of ten of its unit in microseconds; no value if the heading states no unit.
  std::optional<int> power;
  /// Whether the heading probably names a time or a number of launches, but is not understood.
  bool is_doubtful = false;
  /// Whether a doubtful heading probably names a number of launches.
  bool may_be_count = false;

  bool is_time() const { return meaning != HeadingMeaning::other && meaning != HeadingMeaning::count; }
};

/// Interprets a heading by its words, such as "TotalDurationNs", "avg_time (msec)", "Num Calls" or
/// "# of Calls", also as pandas flattens them ("Time (us)_sum", "dur_count"). Times of the host, of queues
/// and of pauses, medians, deviations, shares and points in time have the meaning `other`.
KernelHeading read_kernel_heading(std::string_view heading);

}  // namespace kjoule
