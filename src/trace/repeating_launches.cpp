#include "trace/repeating_launches.hpp"

#include "trace/period.hpp"

namespace kjoule {

namespace {

/// Whether the `length` launches from `a` and from `b` are the same.
bool alike(const std::vector<LaunchMoment>& launches, size_t a, size_t b, size_t length) {
  if (a + length > launches.size() || b + length > launches.size()) return false;
  for (size_t i = 0; i < length; ++i)
    if (launches[a + i].signature != launches[b + i].signature) return false;
  return true;
}

}  // namespace

std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches) {
  PeriodFinder finder;
  for (const LaunchMoment& launch : launches) {
    constexpr uint64_t kUnknownArguments = 0;
    finder.add(launch.signature + 1, kUnknownArguments, launch.host_ns);
    if (finder.found()) break;
  }
  if (!finder.found()) return {};
  const size_t length = finder.found()->length;
  // The period that the finder names may begin behind the trace's end.
  size_t first = finder.found()->first;
  while (first + length > launches.size() && first >= length) first -= length;
  Repetition found{first, length, 1};
  while (found.first >= length && alike(launches, found.first - length, found.first, length)) {
    found.first -= length;
    ++found.times;
  }
  while (alike(launches, found.first, found.end(), length)) ++found.times;
  if (found.times < 2) return {};
  return found;
}

}  // namespace kjoule
