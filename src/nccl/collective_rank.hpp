#pragma once
#include <memory>
#include <string>

#include "device/collective_protocol.hpp"
#include "nccl/collective_batch.hpp"
#include "nccl/collective_buffers.hpp"
#include "nccl/nccl.hpp"
#include "nccl/rank_driver.hpp"

namespace kjoule::nccl {

/// One rank of a group: its GPU, its communicator, and the collective that it measures. Each step throws
/// Error if it fails; the group cannot be used any more then.
class CollectiveRank {
 public:
  /// Opens the rank's GPU, and loads NCCL.
  explicit CollectiveRank(const RankOfGroup& place) : place_(place), driver_(place.gpu) {}

  RankGreeting greeting() const;
  /// Returns a new id of a communicator, in hexadecimal digits.
  std::string make_id() const;
  /// Makes the communicator with this id, together with the other ranks.
  void join(const std::string& id);
  /// Allocates and fills the buffers of a collective. Needs no other rank.
  void prepare(const CollectiveRequest& request);
  /// Runs the prepared collective once and checks its result, then times it, together with the other ranks.
  CollectivePasses measure();
  /// Runs the prepared collective so many times, or somewhat more often if it is in graphs, together with the
  /// other ranks. The data are random numbers, and reductions take the largest one, so that the numbers
  /// remain random.
  CollectiveRepeats repeat(int64_t times);

 private:
  void check_prepared() const;
  void issue(Reduction reduction) const;
  void issue_messages() const;
  /// Returns a batch that runs the prepared collective `collectives` times: launched one by one, or as a
  /// graph if the request asks for one.
  std::unique_ptr<CollectiveBatch> batch(Reduction reduction, int collectives) const;
  /// Runs one collective in the way in which it is timed. Throws Error if its result is wrong.
  void check_one() const;
  /// Returns the time on the GPU of one collective in so many launches of a batch, us.
  double timed_us(CollectiveBatch& batch, int64_t launches) const;
  void synchronize() const;

  RankOfGroup place_;
  RankDriver driver_;
  Nccl nccl_;
  CommunicatorHandle communicator_ = nullptr;
  CollectiveRequest request_;
  std::unique_ptr<CollectiveBuffers> buffers_;
  std::unique_ptr<CollectiveBatch> repeated_;  ///< of repeat(); null if the buffers are not random yet
};

}  // namespace kjoule::nccl
