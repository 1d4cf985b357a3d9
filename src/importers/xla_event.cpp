#include "importers/xla_event.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

namespace kjoule {

namespace {

/// Returns the word after "key:" in the details; empty if they lack the key.
std::string_view detail(std::string_view details, std::string_view key) {
  for (size_t at = details.find(key); at != std::string_view::npos; at = details.find(key, at + 1)) {
    const size_t end = at + key.size();
    const char before = at == 0 ? ' ' : details[at - 1];
    // JSON writes a line end before a key as \\n.
    const bool begins = (std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_') ||
                        (at >= 2 && details[at - 2] == '\\');
    if (!begins || end >= details.size() || details[end] != ':') continue;
    const size_t stop = details.find_first_of(" \\\"", end + 1);
    return details.substr(end + 1, stop == std::string_view::npos ? stop : stop - end - 1);
  }
  return {};
}

std::optional<int64_t> detail_size(std::string_view details, std::string_view key) {
  const std::string_view text = detail(details, key);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number)
                                                                                 : std::nullopt;
}

/// Returns the kind of an operation that has no details, by its name.
ActivityKind kind_by_name(std::string_view name) {
  std::string plain(name.substr(0, std::min<size_t>(name.size(), 8)));
  std::ranges::transform(plain, plain.begin(), [](unsigned char c) { return std::tolower(c); });
  if (plain.starts_with("\"memcpy")) return ActivityKind::memcpy;
  return plain.starts_with("\"memset") ? ActivityKind::memset : ActivityKind::kernel;
}

}  // namespace

void read_xla_details(const ProfilerEvent& event, ProfilerOperation& operation) {
  operation.kind = !event.kernel_details.empty()   ? ActivityKind::kernel
                   : !event.copy_details.empty()   ? ActivityKind::memcpy
                   : !event.memset_details.empty() ? ActivityKind::memset
                                                   : kind_by_name(event.name);
  if (!event.kernel_details.empty()) {
    operation.grid = extent_from(detail(event.kernel_details, "grid"));
    operation.block = extent_from(detail(event.kernel_details, "block"));
    const auto fixed = detail_size(event.kernel_details, "static_shared"),
               dynamic = detail_size(event.kernel_details, "dynamic_shared");
    int64_t both = 0;
    if (fixed && dynamic && !__builtin_add_overflow(*fixed, *dynamic, &both)) operation.shared_bytes = both;
  }
  if (operation.kind != ActivityKind::kernel)
    operation.bytes =
        detail_size(event.copy_details.empty() ? event.memset_details : event.copy_details, "size");
}

}  // namespace kjoule
