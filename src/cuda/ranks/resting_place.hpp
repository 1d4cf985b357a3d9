#pragma once
#include <functional>

#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// Brings ranks that have paused at iterations of their own to rest: each is paused where an iteration
/// begins, and no GPU works any more. A rank waits for messages of others that are paused; when nothing
/// moves, those whose GPUs are idle go on for an iteration (`pass_iteration`), and send them. All ranks must
/// call this. Needs a current context. Throws Error if the ranks do not come to rest.
void come_to_rest(RankBoard& board, uint32_t rank, const std::function<void()>& pass_iteration);

}  // namespace kjoule::cuda
