#pragma once
#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// Makes all ranks stop waiting, and throws the Error that states why the ranks could not be paused at the
/// same iteration.
[[noreturn]] void throw_apart(RankBoard& board, const char* why);
/// Throws DeviceError if another rank has failed, because this rank would wait for it forever.
void throw_if_given_up(const RankBoard& board);

}  // namespace kjoule::cuda
