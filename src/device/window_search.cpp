#include "device/window_search.hpp"

#include <algorithm>

#include "base/files/files.hpp"

namespace kjoule {

WindowPlace WindowPlace::around(const LaunchSpan& span) {
  const uint64_t first = std::max<uint64_t>(1, static_cast<uint64_t>(span.first));
  const uint64_t end = std::max<uint64_t>(first + 1, static_cast<uint64_t>(span.last));
  const uint64_t lead = std::min(kEdge, first);
  return {first - lead, 0, {}, lead, end - first, end - first, kEdge, false};
}

WindowPlace WindowPlace::exactly(const LaunchSpan& span) {
  const auto first = static_cast<uint64_t>(span.first);
  const uint64_t count = static_cast<uint64_t>(span.last) - first;
  return {first, 0, {}, 0, count, count, 0, false};
}

bool WindowPlace::may_begin(uint64_t lead_launches, bool waited) const {
  if (lead_launches < lead) return false;
  return waited || !at_waits || lead_launches >= kLongestLead * lead;
}

bool WindowPlace::may_end(uint64_t measured, bool waited) const {
  if (measured < least) return false;
  return waited || !at_waits || measured >= most;
}

void write_windows(const std::filesystem::path& file, const ExpectedWindows& windows) {
  write_atomic(file, write_fields(windows).dump());
}

ExpectedWindows read_windows(const std::filesystem::path& file) {
  return read_fields<ExpectedWindows>(read_json(file), file.string());
}

}  // namespace kjoule
