#include "recording/sequence_match.hpp"

#include <algorithm>

namespace kjoule {
namespace {

constexpr int64_t kMostEdits = 2000;

/// Myers' greedy algorithm (An O(ND) Difference Algorithm, 1986): after d edits, `reached` contains the
/// furthest position in a on each diagonal (position in a - position in b).
struct Edits {
  const std::vector<uint32_t>&a, &b;
  int64_t begin, a_end, b_end;
  std::vector<std::vector<int64_t>> reached;  // for each d, diagonals -d to d

  /// Returns the furthest position in a on `diagonal` after d - 1 edits; for d >= 1.
  int64_t before(int64_t d, int64_t diagonal) const {
    return reached[static_cast<size_t>(d - 1)][static_cast<size_t>(diagonal + d - 1)];
  }
  bool by_insertion(int64_t d, int64_t diagonal) const {
    return diagonal == -d || (diagonal != d && before(d, diagonal - 1) < before(d, diagonal + 1));
  }
  /// Returns the position in a right after edit d, before the matches that follow it.
  int64_t from(int64_t d, int64_t diagonal) const {
    if (d == 0) return begin;
    return by_insertion(d, diagonal) ? before(d, diagonal + 1) : before(d, diagonal - 1) + 1;
  }
  int64_t slide(int64_t x, int64_t diagonal) const {
    while (x < a_end && x - diagonal < b_end &&
           a[static_cast<size_t>(x)] == b[static_cast<size_t>(x - diagonal)])
      ++x;
    return x;
  }
  /// Returns the number of edits needed, or -1 if there are more than kMostEdits.
  int64_t search() {
    for (int64_t d = 0; d <= kMostEdits; ++d) {
      std::vector<int64_t> row(static_cast<size_t>(2 * d + 1), -1);
      for (int64_t k = -d; k <= d; k += 2) {
        const int64_t x = slide(from(d, k), k);
        row[static_cast<size_t>(k + d)] = x;
        if (k == a_end - b_end && x >= a_end) {  // elsewhere paths may run past an end
          reached.push_back(std::move(row));
          return d;
        }
      }
      reached.push_back(std::move(row));
    }
    return -1;
  }
};

}  // namespace

std::vector<std::pair<size_t, size_t>> match_sequences(const std::vector<uint32_t>& a,
                                                       const std::vector<uint32_t>& b) {
  const size_t shorter = std::min(a.size(), b.size());
  size_t head = 0, tail = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;

  std::vector<std::pair<size_t, size_t>> pairs;
  Edits edits{a,
              b,
              static_cast<int64_t>(head),
              static_cast<int64_t>(a.size() - tail),
              static_cast<int64_t>(b.size() - tail),
              {}};
  int64_t d = edits.search();
  int64_t diagonal = edits.a_end - edits.b_end;
  for (; d >= 0; --d) {
    const int64_t start = edits.from(d, diagonal);
    for (int64_t x = edits.reached[static_cast<size_t>(d)][static_cast<size_t>(diagonal + d)]; x-- > start;)
      pairs.emplace_back(x, x - diagonal);
    if (d > 0) diagonal += edits.by_insertion(d, diagonal) ? 1 : -1;
  }
  for (size_t i = 0; i < head; ++i) pairs.emplace_back(i, i);
  for (size_t i = 1; i <= tail; ++i) pairs.emplace_back(a.size() - i, b.size() - i);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace kjoule
