#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kjoule {

/// Bytes [begin, end) of a device's memory.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

/// A fully associative cache that evicts the least recently used byte. The ranges that will be touched are
/// declared beforehand, any overlap among them allowed: they are cut into the pieces that all of them are
/// made of, so that a touch costs a few list moves and is yet exact to the byte.
class RangeCache {
 public:
  RangeCache(uint64_t capacity_bytes, std::span<const ByteRange> ranges);

  /// Touches the bytes of the range of that index, in ascending order; returns how many were not in the
  /// cache.
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
  /// Pieces are touched as a whole and evicted from their front, so what is resident is always their rear.
  struct Piece {
    uint64_t size = 0;
    uint64_t resident = 0;  ///< 0: not in the list
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
  std::vector<std::pair<Index, Index>> spans_;  ///< first and last piece (not included) of each range
  std::vector<Piece> pieces_;  ///< by address; then the list's head: its `older` is the newest piece
  Index head_ = 0;
};

/// How many bytes the ranges cover together.
uint64_t distinct_bytes(std::vector<ByteRange> ranges);

}  // namespace kjoule
