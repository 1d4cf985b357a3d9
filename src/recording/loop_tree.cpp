#include "recording/loop_tree.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace kjoule {
namespace {

/// Returns a number whose bits depend on all bits of `value` (the finalizer of splitmix64).
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Positions by hash, in a table with open addressing.
class LastPositions {
 public:
  explicit LastPositions(size_t most)
      : slots_(std::bit_ceil(2 * most + 1), Slot{0, kNone}), mask_(slots_.size() - 1) {}

  /// Returns the last position that was stored for the hash, or kNone, and stores `position`.
  uint32_t exchange(uint64_t hash, uint32_t position) {
    size_t at = hash & mask_;
    while (slots_[at].position != kNone && slots_[at].hash != hash) at = (at + 1) & mask_;
    const uint32_t last = slots_[at].position;
    slots_[at] = {hash, position};
    return last;
  }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  struct Slot {
    uint64_t hash;
    uint32_t position;
  };
  std::vector<Slot> slots_;
  size_t mask_;
};

/// Returns the index at which the least rotation of `values` begins (Booth's two pointers).
size_t least_rotation(const std::vector<uint32_t>& values) {
  const size_t n = values.size();
  size_t i = 0, j = 1, same = 0;
  while (i < n && j < n && same < n) {
    const uint32_t a = values[(i + same) % n], b = values[(j + same) % n];
    if (a == b) {
      ++same;
      continue;
    }
    (a > b ? i : j) += same + 1;
    if (i == j) ++j;
    same = 0;
  }
  return std::min(i, j);
}

}  // namespace

LoopTree::LoopTree(std::span<const uint32_t> signatures) {
  items_.reserve(signatures.size());
  for (const uint32_t signature : signatures) {
    items_.push_back({signature, LoopItem::kNoLoop, items_.size(), 1});
    symbols_ = std::max(symbols_, signature + 1);
  }
  for (size_t gram = 1; gram <= items_.size() / kFewestIterations;) gram = collapse(gram) ? 1 : 2 * gram;
}

std::vector<uint32_t> LoopTree::lags_of(size_t gram) const {
  constexpr uint64_t kBase = 0x9e3779b97f4a7c15;
  uint64_t base_to_gram = 1;
  for (size_t i = 0; i < gram; ++i) base_to_gram *= kBase;
  std::vector<uint32_t> lags(items_.size());
  LastPositions positions(items_.size());
  uint64_t hash = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    hash = hash * kBase + mix(items_[i].symbol + 1);
    if (i >= gram) hash -= base_to_gram * mix(items_[i - gram].symbol + 1);
    if (i + 1 < gram) continue;
    const uint32_t last = positions.exchange(mix(hash), static_cast<uint32_t>(i));
    if (last != LastPositions::kNone) lags[i] = static_cast<uint32_t>(i) - last;
  }
  return lags;
}

bool LoopTree::collapse(size_t gram) {
  const std::vector<uint32_t> lags = lags_of(gram);
  std::vector<LoopItem> next;
  size_t kept = 0;  // items before this one are in `next`
  for (size_t i = gram; i < items_.size();) {
    const size_t period = lags[i];
    size_t end = i + 1;
    while (end < items_.size() && lags[end] == period) ++end;
    // Checked before run_around(), whose search may cover the whole sequence.
    const bool often = period > 0 && end - i + gram - 1 >= (kFewestIterations - 1) * period;
    const auto run = often ? run_around(i, end, period, kept) : std::nullopt;
    i = end;
    if (!run || run->end - run->begin < kFewestIterations * period) continue;
    next.insert(next.end(), at(kept), at(run->begin));
    next.push_back(make_loop(*run, period));
    kept = i = run->end;
  }
  if (kept == 0) return false;
  next.insert(next.end(), at(kept), items_.cend());
  items_ = std::move(next);
  return true;
}

std::optional<LoopTree::ItemRange> LoopTree::run_around(size_t from, size_t to, size_t period,
                                                        size_t least) const {
  const auto repeats = [&](size_t i) { return items_[i].symbol == items_[i - period].symbol; };
  if (from < least + period) return {};
  size_t first = from;  // the first item that repeats
  while (first > least + period && repeats(first - 1)) --first;
  for (size_t i = from; i < to; ++i)
    if (!repeats(i)) return {};  // different grams had equal hashes
  while (to < items_.size() && repeats(to)) ++to;
  return ItemRange{first - period, to};
}

LoopItem LoopTree::make_loop(const ItemRange& range, size_t period) {
  Loop loop{{at(range.begin), at(range.end)}, period};
  std::vector<uint32_t> body;
  for (size_t i = 0; i < period; ++i) body.push_back(loop.items[i].symbol);
  const LoopItem& last = loop.items.back();
  const LoopItem item{symbol_of(std::move(body)), static_cast<uint32_t>(loops_.size()),
                      loop.items.front().first, last.first + last.launches - loop.items.front().first};
  loops_.push_back(std::move(loop));
  return item;
}

uint32_t LoopTree::symbol_of(std::vector<uint32_t> body) {
  std::rotate(body.begin(), body.begin() + static_cast<ptrdiff_t>(least_rotation(body)), body.end());
  const auto [at, is_new] = bodies_.emplace(std::move(body), symbols_);
  if (is_new) ++symbols_;
  return at->second;
}

}  // namespace kjoule
