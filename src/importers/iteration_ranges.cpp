#include "importers/iteration_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
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

/// Returns a name in which each number is replaced by #.
std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && text.ends_with('#')) continue;
    text += digit ? '#' : c;
  }
  return text;
}

bool overlap(const std::vector<IterationRange>& sorted) {
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].begin_ns < sorted[i - 1].end_ns) return true;
  return false;
}

/// Returns the call by which a program adds an annotation to the traces of a tool.
const char* annotation_call(TraceTool tool) {
  switch (tool) {
    case TraceTool::nsys:
      return "an NVTX range (torch.cuda.nvtx.range(NAME))";
    case TraceTool::xla:
      return "jax.profiler.TraceAnnotation(NAME)";
    default:
      return "record_function(NAME)";
  }
}

/// Words in names of ranges that frameworks set, or that mark parts of an iteration.
constexpr std::array<std::string_view, 13> kPartWords = {"Torch-Compiled Region",
                                                         "CompiledFxGraph",
                                                         "CompiledFunction",
                                                         "TorchDynamo",
                                                         "Optimizer.",
                                                         "DistributedDataParallel",
                                                         "FSDP::",
                                                         "DataLoader",
                                                         "nccl:",
                                                         "layer",
                                                         "Layer",
                                                         "block",
                                                         "Block"};

bool names_part(std::string_view name) {
  return std::ranges::any_of(
      kPartWords, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

/// Returns the number of calls in each range that contains one; empty if a call is in no range.
std::vector<size_t> calls_in(const std::vector<IterationRange>& sorted,
                             const std::vector<int64_t>& times_ns) {
  std::vector<size_t> numbers;
  size_t contained = 0;
  for (const IterationRange& range : sorted) {
    const auto first = std::ranges::lower_bound(times_ns, range.begin_ns);
    const auto end = std::lower_bound(first, times_ns.end(), range.end_ns);
    if (first == end) continue;
    numbers.push_back(static_cast<size_t>(end - first));
    contained += numbers.back();
  }
  return contained == times_ns.size() ? numbers : std::vector<size_t>();
}

/// Returns whether the ranges may be iterations: their names are equal, or most of them have equally many
/// calls. Otherwise the numbers in their names may stand for different parts of an iteration.
bool may_be_iterations(const std::vector<IterationRange>& ranges, const std::vector<size_t>& calls) {
  const bool equal_names =
      std::ranges::all_of(ranges, [&](const IterationRange& range) { return range.name == ranges[0].name; });
  std::map<size_t, size_t> ranges_with;  // by number of calls
  size_t most = 0;
  for (const size_t number : calls) most = std::max(most, ++ranges_with[number]);
  return equal_names || 2 * most > calls.size();
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
              others.empty() ? fmt::format("add it with {} in the program", annotation_call(trace.tool))
                             : fmt::format("choose an annotation of the trace: {}", fmt::join(others, ", ")));
}

std::vector<CoveringRanges> find_covering_ranges(const ProfilerTrace& trace,
                                                 const std::vector<int64_t>& call_times_ns,
                                                 const std::string& file) {
  std::map<std::string, std::vector<IterationRange>> annotations;
  if (call_times_ns.empty()) return {};
  for (const ProfilerRange& range : trace.ranges)
    if (range.is_of_program && !names_part(range.name))
      annotations[without_numbers(range.name)].push_back(
          {std::string(range.name), range.begin_ns, range.end_ns});
  std::vector<CoveringRanges> found;
  for (auto& [name, ranges] : annotations) {
    std::ranges::stable_sort(ranges, {}, &IterationRange::begin_ns);
    if (overlap(ranges)) continue;
    const std::vector<size_t> calls = calls_in(ranges, call_times_ns);
    if (calls.empty() || !may_be_iterations(ranges, calls)) continue;
    const std::string first = json_text(ranges.front().name);
    found.push_back({first, IterationRanges(std::move(ranges), file), calls.size()});
  }
  return found;
}

}  // namespace kjoule
