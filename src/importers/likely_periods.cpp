#include "importers/likely_periods.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace kjoule {

namespace {

constexpr size_t kLongestSequence = 1 << 16, kGrowth = 4;
/// Number of distances that are kept for each length of sequences. A layer causes one for each launch that
/// occurs several times in it.
constexpr size_t kDistancesOfLength = 12;

/// Computes hashes of all sequences of one length, from the hashes of all launches before each place.
class SequenceHashes {
 public:
  explicit SequenceHashes(const std::vector<uint64_t>& keys) : before_(keys.size() + 1, 0) {
    for (size_t i = 0; i < keys.size(); ++i) before_[i + 1] = before_[i] * kBase + mix(keys[i]);
  }
  /// Calls `take` with the hash of each sequence of `length` launches, in order.
  template <class Take>
  void each(size_t length, const Take& take) const {
    uint64_t factor = 1;
    for (size_t i = 0; i < length; ++i) factor *= kBase;
    for (size_t end = length; end < before_.size(); ++end)
      take(before_[end] - before_[end - length] * factor);
  }

 private:
  static constexpr uint64_t kBase = 0x9E3779B97F4A7C15u;
  static uint64_t mix(uint64_t key) {
    key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9u;
    return key ^ key >> 27;
  }
  std::vector<uint64_t> before_;
};

/// Returns the distances between a sequence and the next equal sequence, the most frequent distances first.
std::vector<size_t> frequent_distances(const SequenceHashes& hashes, size_t length) {
  std::unordered_map<uint64_t, size_t> last;
  std::unordered_map<size_t, size_t> number_of;
  size_t place = 0;
  hashes.each(length, [&](uint64_t hash) {
    const auto [before, is_new] = last.try_emplace(hash, place);
    if (!is_new) ++number_of[place - before->second];
    before->second = place++;
  });
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

std::vector<size_t> likely_periods(const std::vector<uint64_t>& keys) {
  const SequenceHashes hashes(keys);
  std::set<size_t> periods;
  for (size_t length = 1; 2 * length <= keys.size() && length <= kLongestSequence; length *= kGrowth)
    for (const size_t distance : frequent_distances(hashes, length)) periods.insert(distance);
  return {periods.begin(), periods.end()};
}

}  // namespace kjoule
