#pragma once
#include <optional>
#include <vector>

#include "logged/log_energies.hpp"

namespace kjoule {

/// A block of iterations with its energy from a power log.
struct LoggedIterations {
  TimedEnergy logged;  ///< energy of the block
  double each_s = 0;   ///< time of one iteration
};

/// Returns the energy of launches, as the difference between blocks of iterations `with` and `without` them.
/// In the result, the joules are the energy of the launches in as many iterations as the first block has, and
/// the average power is the power of the launches. Window and gaps are those of the block in which the meter
/// was silent for the largest share of the time.
///
/// The energy of an iteration is the mean power of its block times its time. Without the launches, an
/// iteration may become shorter by another time than `in_context_s`, the time of the launches in context. The
/// difference of these times is counted at the power of the iteration, with an uncertainty of 100 %. Half of
/// the range of the blocks of the same kind is added to their sampling error, because the power may change
/// from block to block. The result has no energy if the energy of a block is missing, or if `in_context_s` is
/// not known and the iterations without the launches are not shorter than the iterations with them.
TimedEnergy energy_of_difference(const std::vector<LoggedIterations>& with,
                                 const std::vector<LoggedIterations>& without,
                                 std::optional<double> in_context_s);

}  // namespace kjoule
