#include "compare/ranks/time_spans.hpp"

#include <algorithm>

namespace kjoule {

std::vector<TimeSpan> united(std::vector<TimeSpan> spans) {
  std::ranges::sort(spans, {}, &TimeSpan::begin_ns);
  std::vector<TimeSpan> all;
  for (const TimeSpan& span : spans) {
    if (all.empty() || span.begin_ns > all.back().end_ns)
      all.push_back(span);
    else
      all.back().end_ns = std::max(all.back().end_ns, span.end_ns);
  }
  return all;
}

int64_t length_ns(const std::vector<TimeSpan>& spans) {
  int64_t ns = 0;
  for (const TimeSpan& span : spans) ns += span.end_ns - span.begin_ns;
  return ns;
}

int64_t common_ns(const std::vector<TimeSpan>& a, const std::vector<TimeSpan>& b) {
  int64_t ns = 0;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    ns += std::max<int64_t>(0, std::min(a[i].end_ns, b[k].end_ns) - std::max(a[i].begin_ns, b[k].begin_ns));
    ++(a[i].end_ns < b[k].end_ns ? i : k);
  }
  return ns;
}

}  // namespace kjoule
