#pragma once
#include "device/rank_board.hpp"

namespace kjoule::cuda {

/// Makes all ranks stop waiting, and throws the Error that says why they could not be paused together.
[[noreturn]] void throw_apart(RankBoard& board, const char* why);
/// Throws DeviceError if a rank has failed, for which this one would wait.
void throw_if_given_up(const RankBoard& board);

}  // namespace kjoule::cuda
