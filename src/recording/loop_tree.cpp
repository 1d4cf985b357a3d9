#include "recording/loop_tree.hpp"

#include <algorithm>
#include <utility>

#include "recording/last_occurrence.hpp"

namespace kjoule {
namespace {

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

bool LoopTree::collapse(size_t gram) {
  std::vector<uint32_t> symbols;
  symbols.reserve(items_.size());
  for (const LoopItem& item : items_) symbols.push_back(item.symbol);
  const std::vector<uint32_t> lags = distances_to_last(symbols, gram);
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
