#pragma once
#include <cstdint>

#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// The position of this rank between its launches. The RankBoard always contains the current position.
class RankPosition {
 public:
  /// The launch from which collectives are counted.
  enum class Origin {
    first_launch,  ///< the program's first launch: the counts of all ranks can be compared
    attachment,    ///< the launch that follows kjoule's request, which is another one on each rank
  };
  RankPosition(RankBoard& board, uint32_t rank, Origin origin = Origin::first_launch)
      : board_(board), rank_(rank), origin_(origin) {}

  /// Registers that the rank makes a driver call that launches `collectives` collectives.
  void advance(uint64_t collectives) {
    if (collectives == 0) {
      ++place_.calls;
      return;
    }
    place_ = {place_.collectives + collectives, 0};
    board_.set_collectives(rank_, place_.collectives);
  }
  /// Returns the position before the next launch.
  const RankPlace& place() const { return place_; }
  /// Returns whether the rank is at `wanted`, if its next call launches `next_collectives` collectives.
  bool is_at(const RankPlace& wanted, uint64_t next_collectives) const {
    return place_.collectives == wanted.collectives &&
           (place_.calls == wanted.calls || (place_.calls < wanted.calls && next_collectives > 0));
  }
  Origin origin() const { return origin_; }
  RankBoard& board() { return board_; }
  const RankBoard& board() const { return board_; }
  uint32_t rank() const { return rank_; }

 private:
  RankBoard& board_;
  uint32_t rank_;
  Origin origin_;
  RankPlace place_;
};

}  // namespace kjoule::cuda
