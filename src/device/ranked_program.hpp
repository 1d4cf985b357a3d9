#pragma once
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/link.hpp"
#include "device/measured_process.hpp"
#include "device/rank_board.hpp"

namespace kjoule {

/// The link to one of the processes that are measured together, and its answer to the greeting.
struct LinkedRank {
  std::shared_ptr<Link> link;
  MeasuredProcess* process = nullptr;  ///< valid as long as the link
  DeviceInfo info;
};

/// A program of which several processes may be measured together.
class RankedProgram {
 public:
  virtual ~RankedProgram() = default;
  /// Returns the processes that have answered the greeting so far, except the first one.
  virtual const std::vector<LinkedRank>& other_ranks() = 0;
  /// Refuses all processes that connect from now on.
  virtual void link_no_more() = 0;
  /// Returns the board that the ranks share; null if only one process is measured.
  virtual RankBoard* board() const = 0;
  /// Waits until one of these descriptors is readable or another process connects, but at most `milliseconds`
  /// (-1: no limit).
  virtual void await(const std::vector<int>& descriptors, int milliseconds) = 0;
  /// Throws Error if the first process must not be measured without the others, which have no collectives.
  virtual void check_alone() const = 0;
  /// Is called when kjoule sends no further requests.
  virtual void part() = 0;
};

}  // namespace kjoule
