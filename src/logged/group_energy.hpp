#pragma once
#include <optional>
#include <vector>

#include "logged/log_energies.hpp"

namespace kjoule {

/// A block of iterations in a power log.
struct LoggedIterations {
  TimedEnergy logged;
  double each_s = 0;  ///< time of one iteration
};

/// Returns the energy of launches that iterations `with` them contain and iterations `without` them lack. Its
/// joules are those of the runs of the first block, and its average power is that of the launches. Its gaps
/// and its window are those of the block in which the meter was silent longest.
///
/// An iteration's energy is its block's mean power times its time. Without the launches, an iteration may
/// become shorter by another time than the launches take in context, `in_context_s`. The rest is counted at
/// the power of the iteration, with an uncertainty of 100 %. Half of the range of the blocks of one kind is
/// added to their sampling error: power changes in the course of the blocks. The energy is missing if that of
/// a block is, or if the time of the launches is not known and iterations without them are not shorter.
TimedEnergy energy_of_difference(const std::vector<LoggedIterations>& with,
                                 const std::vector<LoggedIterations>& without,
                                 std::optional<double> in_context_s);

}  // namespace kjoule
