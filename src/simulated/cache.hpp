#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kjoule {

/// The bytes [begin, end) of a device's memory.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

/// A fully associative cache that evicts the least recently used byte. The constructor receives all ranges
/// that will be touched; they may overlap. It splits the ranges into pieces at the borders of all ranges, so
/// that touching a range takes few list operations, although the result is exact to the byte.
class RangeCache {
 public:
  RangeCache(uint64_t capacity_bytes, std::span<const ByteRange> ranges);

  /// Touches the bytes of a range in ascending order, and returns the number of bytes that were not in the
  /// cache. `range` is an index into the constructor's ranges.
  uint64_t touch(size_t range) {
    uint64_t missed = 0;
    for (auto piece = spans_[range].first; piece < spans_[range].second; ++piece)
      missed += touch_piece(piece);
    return missed;
  }
  void clear();
  uint64_t resident_bytes() const { return total_; }
  uint64_t capacity_bytes() const { return capacity_; }

 private:
  using Index = uint32_t;
  /// A part of memory that is always touched as a whole. Eviction begins at its front, so that the part in
  /// the cache is always its end.
  struct Piece {
    uint64_t size = 0;
    uint64_t resident = 0;  ///< number of its bytes in the cache; if 0, the piece is not in the list
    Index newer = 0;
    Index older = 0;
  };

  uint64_t touch_piece(Index index) {
    Piece& piece = pieces_[index];
    if (piece.resident != piece.size) return fill(index);
    unlink(piece);
    link_newest(index);
    return 0;
  }
  uint64_t fill(Index index);
  uint64_t evict_older_than(Index index, uint64_t bytes);
  void unlink(const Piece& piece) {
    pieces_[piece.newer].older = piece.older;
    pieces_[piece.older].newer = piece.newer;
  }
  void link_newest(Index index);
  void drop(Index index);

  uint64_t capacity_;
  uint64_t total_ = 0;
  /// First piece of each range, and the piece after its last one.
  std::vector<std::pair<Index, Index>> spans_;
  /// All pieces by address, followed by the list's head, whose `older` is the newest piece.
  std::vector<Piece> pieces_;
  Index head_ = 0;
};

/// Returns the number of bytes that the ranges cover together, each counted once.
uint64_t distinct_bytes(std::vector<ByteRange> ranges);

}  // namespace kjoule
