#include "measure/time/stamp_places.hpp"

#include <algorithm>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"

namespace kjoule {

uint64_t draw_below(std::mt19937_64& words, uint64_t bound) {
  const uint64_t uneven =
      (0 - bound) % bound;  // 2^64 % bound words are rejected, so that each number is equally likely
  uint64_t word = words();
  while (word < uneven) word = words();
  return word % bound;
}

std::optional<uint32_t> last_stamp_place(uint32_t position, const std::vector<bool>& may_stamp) {
  const auto first = std::find(may_stamp.begin(), may_stamp.end(), true);
  if (first == may_stamp.end()) return std::nullopt;
  const auto first_place = static_cast<uint32_t>(first - may_stamp.begin());
  while (position > first_place && !may_stamp[position % may_stamp.size()]) --position;
  return std::max(position, first_place);
}

std::vector<uint32_t> draw_stamp_places(uint32_t first, uint32_t last, uint32_t largest_gap,
                                        const std::vector<bool>& may_stamp, uint64_t seed) {
  if (last < first || largest_gap == 0 || may_stamp.empty())
    throw Error("stamps cannot be placed", kBugRemedy);
  std::mt19937_64 words(seed);
  std::vector<uint32_t> places;
  uint64_t position = first;  // 64 bits, so that a step beyond the last place cannot overflow
  while (position < last) {
    if (may_stamp[position % may_stamp.size()]) {
      places.push_back(static_cast<uint32_t>(position));
      position += 1 + draw_below(words, largest_gap);
    } else {
      ++position;
    }
  }
  places.push_back(last);
  return places;
}

}  // namespace kjoule
