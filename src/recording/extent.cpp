#include "recording/extent.hpp"

#include <fmt/format.h>

#include <charconv>

namespace kjoule {

std::optional<Extent> extent_from(std::string_view text) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  Extent extent{};
  const auto is_gap = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  const char *at = text.data(), *const end = at + text.size();
  for (size_t i = 0; i < extent.size(); ++i) {
    while (at < end && is_gap(*at)) ++at;
    const auto [stop, error] = std::from_chars(at, end, extent[i]);
    if (error != std::errc() || extent[i] < 1 || extent[i] > INT32_MAX) return {};
    at = stop;
    while (at < end && is_gap(*at)) ++at;
    if (i + 1 < extent.size()) {
      if (at == end || (*at != ',' && *at != 'x')) return {};
      ++at;
    }
  }
  if (at != end) return {};
  return extent;
}

std::string extent_text(const Extent& extent) {
  return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
}

}  // namespace kjoule
