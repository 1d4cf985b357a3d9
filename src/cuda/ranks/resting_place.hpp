#pragma once
#include <functional>

#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// Brings ranks that are paused at different iterations to a common rest: each rank is paused where one of
/// its iterations begins, and no GPU has work. Before, the GPU of a rank may wait for messages of paused
/// ranks. When no rank makes progress, the ranks whose GPUs are idle run one more iteration
/// (`pass_iteration`), in which they send these messages. All ranks must call this function. Needs a current
/// context. Throws Error if the ranks do not come to rest.
void come_to_rest(RankBoard& board, uint32_t rank, const std::function<void()>& pass_iteration);

}  // namespace kjoule::cuda
