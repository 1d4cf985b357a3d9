#pragma once
#include <cstdint>
#include <vector>

namespace kjoule {

/// A span of time, in ns.
struct TimeSpan {
  int64_t begin_ns = 0, end_ns = 0;
};

/// Returns the times that are in at least one of the spans, as spans that do not overlap, in order.
std::vector<TimeSpan> united(std::vector<TimeSpan> spans);
/// Returns the length of spans that do not overlap, ns.
int64_t length_ns(const std::vector<TimeSpan>& spans);
/// Returns the length of the times that are in both `a` and `b`, ns. The arguments are results of united().
int64_t common_ns(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b);

}  // namespace kjoule
