#include "importers/likely_periods.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "recording/last_occurrence.hpp"

namespace kjoule {

namespace {

constexpr size_t kLongestSequence = 1 << 16, kGrowth = 4;
/// Number of distances that are kept for each length of sequences. A layer causes one for each launch that
/// occurs several times in it.
constexpr size_t kDistancesOfLength = 12;

/// Returns the distances between one sequence and the next that equals it, the most frequent ones first.
std::vector<size_t> frequent_distances(const std::vector<uint32_t>& keys, size_t length) {
  std::unordered_map<size_t, size_t> number_of;
  for (const uint32_t distance : distances_to_last(keys, length))
    if (distance > 0) ++number_of[distance];
  std::vector<std::pair<size_t, size_t>> ordered;
  for (const auto& [distance, number] : number_of) ordered.emplace_back(number, distance);
  const size_t kept = std::min(ordered.size(), kDistancesOfLength);
  std::partial_sort(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(kept), ordered.end(),
                    std::greater<>());
  std::vector<size_t> distances;
  for (size_t i = 0; i < kept; ++i) distances.push_back(ordered[i].second);
  return distances;
}

}  // namespace

std::vector<size_t> likely_periods(const std::vector<uint32_t>& keys) {
  std::set<size_t> periods;
  for (size_t length = 1; 2 * length <= keys.size() && length <= kLongestSequence; length *= kGrowth)
    for (const size_t distance : frequent_distances(keys, length)) periods.insert(distance);
  return {periods.begin(), periods.end()};
}

}  // namespace kjoule
