#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/files/json_cursor.hpp"
#include "base/text/parse_number.hpp"
#include "importers/decimal_time.hpp"
#include "importers/profiler_event.hpp"
#include "recording/extent.hpp"

namespace kjoule {

/// Times must keep this distance from the limits of 64 bits, so that their differences also fit into 64 bits.
inline constexpr int64_t kMargin_ns = 10'000'000'000'000'000;

/// Reads the values of an event's fields. `raw` is the JSON text of a field, and is empty if the event lacks
/// it; `key` is its name in error messages. Throws Error with file and line for a value that is not possible.
class EventFields {
 public:
  /// `cursor` must outlive this object, and its text is that of the fields.
  explicit EventFields(const JsonCursor& cursor) : cursor_(&cursor) {}

  std::string_view operation_name(const ProfilerEvent& event) const {
    const std::string_view name = text(event.name, event, "name");
    if (name == "\"\"") cursor_->fail(name, "\"name\" is empty");
    return name;
  }

  std::string_view text(std::string_view raw, const ProfilerEvent& event, const char* key) const {
    if (raw.empty()) cursor_->fail(place(event), fmt::format("this event has no \"{}\"", key));
    if (raw.front() != '"') cursor_->fail(raw, fmt::format("\"{}\" is not a text", key));
    if (raw.size() > kNameLimit) cursor_->fail(raw, fmt::format("\"{}\"{}", key, longer_than_a_name()));
    return raw;
  }
  std::string_view array(std::string_view raw, const char* key) const {
    if (!raw.empty() && raw.front() != '[') cursor_->fail(raw, fmt::format("\"{}\" is not an array", key));
    return raw;
  }
  int64_t whole(std::string_view raw, const char* key) const {
    const auto number = json_whole(raw);
    if (!number) cursor_->fail(raw, fmt::format("\"{}\" is not a whole number", key));
    return *number;
  }
  std::optional<int64_t> maybe_whole(std::string_view raw, const char* key) const {
    if (raw.empty()) return {};
    return whole(raw, key);
  }
  std::optional<int64_t> size(std::string_view raw, const char* key) const {
    const auto number = maybe_whole(raw, key);
    if (number && *number < 0) cursor_->fail(raw, fmt::format("\"{}\" is negative", key));
    return number;
  }
  std::optional<Extent> extent(std::string_view raw, const char* key) const {
    if (raw.empty()) return {};
    const auto extent = extent_from(raw);
    if (!extent) cursor_->fail(raw, fmt::format("\"{}\" is not three {}", key, kExtentIs));
    return extent;
  }
  int64_t time_ns(std::string_view raw, const ProfilerEvent& event, const char* key) const {
    if (raw.empty()) cursor_->fail(place(event), fmt::format("this event has no \"{}\"", key));
    const auto ns = ns_from_us(raw);
    const auto number = ns ? std::nullopt : parse_number(between_quotes(raw).value_or(raw));
    if (number || (ns && (*ns > INT64_MAX - kMargin_ns || *ns < -kMargin_ns)))
      cursor_->fail(
          raw, fmt::format("\"{}\" is {} us, which is too large for 64 bits in ns", key, raw.substr(0, 40)));
    if (!ns) cursor_->fail(raw, fmt::format("\"{}\" is not a time in microseconds", key));
    return *ns;
  }
  int64_t duration_ns(const ProfilerEvent& event, int64_t begin_ns) const {
    const int64_t ns = time_ns(event.duration, event, "dur");
    if (ns < 0) cursor_->fail(event.duration, "\"dur\" is negative");
    int64_t end_ns = 0;
    if (__builtin_add_overflow(begin_ns, ns, &end_ns))
      cursor_->fail(event.duration, "\"ts\" + \"dur\" exceeds 64 bits in ns");
    return ns;
  }

 private:
  /// Returns the position in the text that errors about a missing field of the event report.
  static const char* place(const ProfilerEvent& event) { return event.phase.data(); }

  const JsonCursor* cursor_;
};

}  // namespace kjoule
