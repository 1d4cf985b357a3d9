#include "recording/call_ranges.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr std::string_view kCallRange = "kjoule call ";

std::optional<size_t> call_around(const Launch& launch) {
  const auto ranges = launch.detail.find("ranges");
  if (ranges == launch.detail.end()) return {};
  for (const auto& range : *ranges)
    if (const auto call = call_of_range(range.get<std::string>())) return call;
  return {};
}

}  // namespace

std::string call_range(size_t call) {
  return fmt::format("{}{}", kCallRange, call);
}

std::optional<size_t> call_of_range(const std::string& range) {
  if (!range.starts_with(kCallRange)) return {};
  size_t call = 0;
  const char* const end = range.data() + range.size();
  const auto [stop, error] = std::from_chars(range.data() + kCallRange.size(), end, call);
  if (error != std::errc() || stop != end) return {};
  return call;
}

std::map<size_t, std::vector<LaunchIndex>> launches_of_calls(const Recording& recording,
                                                             const std::vector<size_t>& calls) {
  std::map<size_t, std::vector<LaunchIndex>> launches;
  bool ranges = false;
  for (LaunchIndex i = 0; i < recording.launches.size(); ++i)
    if (const auto call = call_around(recording.launches[i])) {
      ranges = true;
      if (*call < calls.size()) launches[calls[*call]].push_back(i);
    }
  if (ranges) return launches;
  if (recording.launches.size() != calls.size())
    throw Error(fmt::format("{} calls made {} launches, and no profiler range shows which call made which",
                            calls.size(), recording.launches.size()),
                "build kjoule-torch with the NVTX headers, which the CUDA toolkit contains");
  for (LaunchIndex i = 0; i < recording.launches.size(); ++i) launches[calls[i]].push_back(i);
  return launches;
}

}  // namespace kjoule
