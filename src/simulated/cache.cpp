#include "simulated/cache.hpp"

#include <algorithm>

namespace kjoule {

RangeCache::RangeCache(uint64_t capacity_bytes, std::span<const ByteRange> ranges)
    : capacity_(capacity_bytes) {
  std::vector<uint64_t> cuts;
  for (const ByteRange& range : ranges) {
    cuts.push_back(range.begin);
    cuts.push_back(range.end);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  const auto piece_at = [&cuts](uint64_t address) {
    return static_cast<Index>(std::lower_bound(cuts.begin(), cuts.end(), address) - cuts.begin());
  };
  for (const ByteRange& range : ranges) spans_.emplace_back(piece_at(range.begin), piece_at(range.end));
  // Pieces between the ranges are never touched.
  for (size_t i = 0; i + 1 < cuts.size(); ++i) pieces_.push_back({.size = cuts[i + 1] - cuts[i]});
  head_ = static_cast<Index>(pieces_.size());
  pieces_.push_back({.newer = head_, .older = head_});
}

void RangeCache::clear() {
  while (pieces_[head_].older != head_) drop(pieces_[head_].older);
}

void RangeCache::link_newest(Index index) {
  Piece& head = pieces_[head_];
  pieces_[index].newer = head_;
  pieces_[index].older = head.older;
  pieces_[head.older].newer = index;
  head.older = index;
}

void RangeCache::drop(Index index) {
  Piece& piece = pieces_[index];
  unlink(piece);
  total_ -= piece.resident;
  piece.resident = 0;
}

/// Evicts the oldest pieces until `bytes` are free. Stops before the piece `index`, so that it and newer
/// pieces stay. Returns the number of free bytes.
uint64_t RangeCache::evict_older_than(Index index, uint64_t bytes) {
  while (capacity_ - total_ < bytes) {
    const Index oldest = pieces_[head_].newer;
    if (oldest == index || oldest == head_) break;
    Piece& piece = pieces_[oldest];
    const uint64_t wanted = bytes - (capacity_ - total_);
    if (wanted >= piece.resident) {
      drop(oldest);
    } else {
      piece.resident -= wanted;
      total_ -= wanted;
    }
  }
  return capacity_ - total_;
}

/// Touches a piece that is not completely in the cache, and returns the number of missed bytes.
uint64_t RangeCache::fill(Index index) {
  Piece& piece = pieces_[index];
  uint64_t missed = piece.size - piece.resident;
  if (piece.resident != 0) {
    if (evict_older_than(index, missed) < missed) {
      // Reading the front evicts the first byte of the resident end before it is touched. Reading that byte
      // then evicts the next one, and so on, so no byte of the end is still resident when it is touched.
      missed = piece.size;
      drop(index);
    } else {
      unlink(piece);
    }
  }
  if (piece.resident == 0) {
    piece.resident = std::min(piece.size, evict_older_than(head_, piece.size));
    total_ += piece.resident;
    if (piece.resident == 0) return missed;  // the cache has no capacity
  } else {
    piece.resident = piece.size;
    total_ += missed;
  }
  link_newest(index);
  return missed;
}

uint64_t distinct_bytes(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  uint64_t bytes = 0;
  uint64_t covered_to = 0;
  for (const ByteRange& range : ranges) {
    if (range.end <= covered_to) continue;
    bytes += range.end - std::max(range.begin, covered_to);
    covered_to = range.end;
  }
  return bytes;
}

}  // namespace kjoule
