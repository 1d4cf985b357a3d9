#include "importers/iteration_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

namespace {

constexpr size_t kListedNames = 5;
constexpr size_t kLongestName = 60;

std::string shorten(const std::string& name) {
  return name.size() <= kLongestName ? name : name.substr(0, kLongestName - 2) + "..";
}

}  // namespace

IterationRanges::IterationRanges(std::vector<IterationRange> ranges, const std::string& file)
    : ranges_(std::move(ranges)) {
  std::stable_sort(ranges_.begin(), ranges_.end(),
                   [](const IterationRange& a, const IterationRange& b) { return a.begin_ns < b.begin_ns; });
  for (size_t i = 1; i < ranges_.size(); ++i)
    if (ranges_[i].begin_ns < ranges_[i - 1].end_ns)
      throw Error(
          fmt::format(
              "{}: the range {} begins {:.3f} us before the range {} ends, but iterations must not overlap",
              file, shorten(ranges_[i].name),
              (static_cast<double>(ranges_[i - 1].end_ns) - static_cast<double>(ranges_[i].begin_ns)) / 1e3,
              shorten(ranges_[i - 1].name)),
          "choose ranges that follow one another with --annotation NAME, or give the number of iterations "
          "with --iterations N");
}

std::optional<uint32_t> IterationRanges::at(int64_t host_ns) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), host_ns,
                       [](int64_t ns, const IterationRange& range) { return ns < range.begin_ns; });
  if (after == ranges_.begin() || host_ns >= std::prev(after)->end_ns) return {};
  return static_cast<uint32_t>(std::prev(after) - ranges_.begin());
}

IterationRanges find_profiler_steps(const ProfilerTrace& trace, const std::string& file) {
  std::vector<IterationRange> steps;
  for (const ProfilerRange& range : trace.ranges)
    if (range.name.starts_with("\"ProfilerStep#"))
      steps.push_back({json_text(range.name), range.begin_ns, range.end_ns});
  return {std::move(steps), file};
}

IterationRanges find_annotated_ranges(const ProfilerTrace& trace, const std::string& name,
                                      const std::string& file) {
  std::vector<IterationRange> ranges;
  std::set<std::string> others;
  for (const ProfilerRange& range : trace.ranges) {
    std::string text = json_text(range.name);
    if (text == name)
      ranges.push_back({std::move(text), range.begin_ns, range.end_ns});
    else if (others.size() < kListedNames)
      others.insert(shorten(text));
  }
  if (!ranges.empty()) return {std::move(ranges), file};
  throw Error(fmt::format("{}: the trace contains no annotation {}", file, shorten(name)),
              others.empty() ? "add it with record_function(NAME) in the program"
                             : fmt::format("choose an annotation of the trace: {}", fmt::join(others, ", ")));
}

}  // namespace kjoule
