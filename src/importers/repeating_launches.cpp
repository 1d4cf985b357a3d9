#include "importers/repeating_launches.hpp"

#include <algorithm>

#include "importers/repetition_finder.hpp"

namespace kjoule {

namespace {

/// Returns whether the `length` launches from `a` and from `b` exist and have the same signatures.
bool alike(const std::vector<LaunchMoment>& launches, size_t a, size_t b, size_t length) {
  if (a + length > launches.size() || b + length > launches.size()) return false;
  for (size_t i = 0; i < length; ++i)
    if (launches[a + i].signature != launches[b + i].signature) return false;
  return true;
}

using Launches = std::vector<LaunchMoment>;

constexpr double kNearlyAllRepeats = 0.8;
constexpr size_t kFewestTimes = 3;
/// The least ratio of the pause between iterations to the usual time between two launches. Between
/// iterations, a program prepares data or waits for the device.
constexpr double kPause = 3;
constexpr size_t kMostTried = 16;
/// The least ratio of long pauses to short ones. Pauses scatter by themselves; they rarely exceed all others
/// by a factor of 2, and at equal distances, by chance.
constexpr double kClearlyLonger = 2;

/// Returns for each lag the number of launches at the end that equal the launches `lag` positions earlier (Z
/// algorithm, read backwards).
std::vector<size_t> repeated_at_end(const Launches& launches) {
  const size_t n = launches.size();
  const auto at = [&](size_t i) { return launches[n - 1 - i].signature; };
  std::vector<size_t> z(n, 0);
  size_t left = 0, right = 0;
  for (size_t i = 1; i < n; ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < n && at(z[i]) == at(i + z[i])) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

int64_t median(std::vector<int64_t>& values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Returns the iterations of that length from `first` on, each beginning after the host's longest pause, or
/// no value if no place has a clearly longer pause.
std::optional<Repetition> find_iterations_after_pauses(const Launches& launches, size_t first,
                                                       size_t length) {
  std::vector<int64_t> usual(length);
  for (size_t place = 0; place < length; ++place) {
    std::vector<int64_t> pauses;
    for (size_t i = first + place; i < launches.size(); i += length)
      if (i > first) pauses.push_back(launches[i].host_ns - launches[i - 1].host_ns);
    usual[place] = median(pauses);
  }
  const auto longest = std::max_element(usual.begin(), usual.end());
  const auto place = static_cast<size_t>(longest - usual.begin());
  const int64_t pause = *longest;
  if (static_cast<double>(pause) < kPause * static_cast<double>(std::max<int64_t>(1, median(usual))))
    return {};
  const size_t begin = first + place;
  return Repetition{begin, length, (launches.size() - begin) / length};
}

std::optional<Repetition> find_nearly_complete_repetition(const Launches& launches) {
  const std::vector<size_t> repeated = repeated_at_end(launches);
  size_t tried = 0;
  for (size_t length = 2; length * kFewestTimes <= launches.size() && tried < kMostTried; ++length) {
    const size_t covered = repeated[length] + length;
    if (static_cast<double>(covered) < kNearlyAllRepeats * static_cast<double>(launches.size())) continue;
    if (covered / length < kFewestTimes) continue;
    ++tried;
    const size_t first = launches.size() - covered / length * length;
    if (const auto found = find_iterations_after_pauses(launches, first, length); found && found->times >= 2)
      return found;
  }
  return {};
}

/// Returns the host's longest pause within each repetition but the first, in ns. The first one's pause may
/// belong to the launches before it.
std::vector<int64_t> longest_pauses(const Launches& launches, const Repetition& found) {
  std::vector<int64_t> longest(found.times - 1, 0);
  for (size_t i = found.first + found.length; i < found.end(); ++i) {
    int64_t& of_its_time = longest[(i - found.first) / found.length - 1];
    of_its_time = std::max(of_its_time, launches[i].host_ns - launches[i - 1].host_ns);
  }
  return longest;
}

/// Returns the distance between the numbers if it is constant and the numbers cover the range from 1 to below
/// `end`; otherwise 0.
size_t distance(std::vector<size_t> numbers, size_t end) {
  if (numbers.size() < 2) return 0;
  std::sort(numbers.begin(), numbers.end());
  const size_t every = numbers[1] - numbers[0];
  for (size_t i = 2; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != every) return 0;
  return numbers.front() <= every && numbers.back() + every >= end ? every : 0;
}

/// Returns the distance between long pauses, or 0. Tries every division of the pauses into long and short
/// ones whose ratio is at least kClearlyLonger, and accepts the first in which long pauses have equal
/// distances.
size_t longer_pause_every(const Launches& launches, const Repetition& found) {
  const std::vector<int64_t> longest = longest_pauses(launches, found);
  std::vector<size_t> order(longest.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return longest[a] > longest[b]; });
  std::vector<size_t> long_ones;
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    long_ones.push_back(order[i] + 1);
    const auto next = static_cast<double>(std::max<int64_t>(1, longest[order[i + 1]]));
    if (static_cast<double>(longest[order[i]]) < kClearlyLonger * next) continue;
    if (const size_t every = distance(long_ones, found.times)) return every;
  }
  return 0;
}

/// Returns the repetition that RepetitionFinder finds or, in a trace that is too short for it,
/// find_nearly_complete_repetition().
std::optional<Repetition> find_any_repetition(const Launches& launches) {
  RepetitionFinder finder;
  for (const LaunchMoment& launch : launches) {
    constexpr uint64_t kUnknownArguments = 0;
    finder.add(launch.signature + 1, kUnknownArguments, launch.host_ns);
    if (finder.found()) break;
  }
  if (!finder.found()) return find_nearly_complete_repetition(launches);
  const size_t length = finder.found()->length;
  // The period that the finder reports may begin after the trace's end.
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

}  // namespace

std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches) {
  std::optional<Repetition> found = find_any_repetition(launches);
  if (found) found->longer_pause_every = longer_pause_every(launches, *found);
  return found;
}

}  // namespace kjoule
