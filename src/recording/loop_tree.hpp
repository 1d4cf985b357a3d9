#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace kjoule {

/// A launch, or a loop that counts as one item of the sequence around it.
struct LoopItem {
  static constexpr uint32_t kNoLoop = UINT32_MAX;

  uint32_t symbol = 0;      ///< equal launches have the same number, and so have loops over equal bodies
  uint32_t loop = kNoLoop;  ///< index of the loop; kNoLoop for a launch
  uint64_t first = 0;       ///< number of the first launch in the item
  uint64_t launches = 1;    ///< number of launches in the item
};

/// A sequence of items that repeats.
struct Loop {
  std::vector<LoopItem> items;  ///< all iterations; the last one may be incomplete
  size_t period = 0;            ///< items per iteration

  uint64_t iterations() const { return items.size() / period; }
  /// Returns the number of the first launch of an iteration, or of the launch after the last item.
  uint64_t begin_of(uint64_t iteration) const {
    const size_t item = iteration * period;
    return item < items.size() ? items[item].first : items.back().first + items.back().launches;
  }
};

/// The nested loops of a sequence of launches, found from the inside out.
///
/// A loop is a sequence of items that occurs at least 3 times in a row. The search uses grams, sequences of a
/// few items: in a loop, successive grams have the same distance from their previous occurrences. Longer
/// grams are tried when shorter grams find no further loop.
class LoopTree {
 public:
  explicit LoopTree(std::span<const uint32_t> signatures);

  /// The outermost sequence, in which each loop is one item.
  const std::vector<LoopItem>& items() const { return items_; }
  const std::vector<Loop>& loops() const { return loops_; }

 private:
  static constexpr size_t kFewestIterations = 3;
  struct ItemRange {
    size_t begin, end;
  };

  /// Replaces each loop that grams of this length find by one item. Returns whether a loop was found.
  bool collapse(size_t gram);
  /// Returns the longest sequence with this period that contains the items from `from` to `to` and begins at
  /// item `least` or later; nothing if these items do not repeat.
  std::optional<ItemRange> run_around(size_t from, size_t to, size_t period, size_t least) const;
  LoopItem make_loop(const ItemRange& range, size_t period);
  /// Returns the symbol of loops over this body. Loops whose bodies differ only in the item at which they
  /// begin have the same symbol.
  uint32_t symbol_of(std::vector<uint32_t> body);
  std::vector<LoopItem>::const_iterator at(size_t item) const {
    return items_.begin() + static_cast<ptrdiff_t>(item);
  }

  std::vector<LoopItem> items_;
  std::vector<Loop> loops_;
  uint32_t symbols_ = 0;  ///< number of symbols in use
  std::map<std::vector<uint32_t>, uint32_t> bodies_;
};

}  // namespace kjoule
