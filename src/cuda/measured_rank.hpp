#pragma once
#include <cstdlib>
#include <optional>
#include <string>

#include "cuda/session/leader_cut.hpp"
#include "cuda/session/rank_position.hpp"
#include "device/rank_board.hpp"
#include "device/rank_facts.hpp"

namespace kjoule::cuda {

/// The position of this process among the ranks of its program, on the board at `path`.
struct MeasuredRank {
  MeasuredRank(const std::string& path, RankPosition::Origin origin)
      : board(path), position(*board, board->come(), origin), cut(position, ranks_on_this_machine()) {}
  static std::optional<uint32_t> ranks_on_this_machine() {
    const RankFacts facts = read_rank_facts(std::getenv);
    // Ranks on other machines cannot be measured, so kjoule waits for no other rank.
    if (facts.ranks_elsewhere() > 0) return 1;
    const std::optional<int> ranks = facts.local_ranks ? facts.local_ranks : facts.ranks;
    return ranks ? std::optional(static_cast<uint32_t>(*ranks)) : std::nullopt;
  }

  SharedRankBoard board;
  RankPosition position;
  LeaderCut cut;
};

}  // namespace kjoule::cuda
