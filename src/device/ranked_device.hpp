#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/forwarding_device.hpp"
#include "device/rank_group.hpp"
#include "device/ranks.hpp"

namespace kjoule {

/// The GPUs of a program's ranks, which replay in step. The device is used as the GPU of one rank: this
/// rank's recording is returned and its launches are timed, while the other ranks replay the same iterations
/// in parallel. At first, this is the rank that connected first. If the iteration of this rank has no
/// collectives, the other ranks are released, and only this rank is measured.
class RankedDevice final : public ForwardingDevice, public Ranks {
 public:
  /// `first` is the process that connected first.
  RankedDevice(std::shared_ptr<RankedProgram> program, LinkedRank first);
  const DeviceInfo& info() const override { return group_.info(); }
  std::unique_ptr<Track> open(const TrackSpec& spec) override;

  const std::vector<RecordedRank>& ranks() const override { return group_.ranks(); }
  std::vector<std::vector<CollectiveTimes>> time_collectives_of_all(int repeats) override;
  void use_as(size_t rank) override { group_.use_as(rank); }
  bool share_a_meter() const override { return false; }

 private:
  nlohmann::json call(const char* operation, const nlohmann::json& body) override;
  nlohmann::json call_to_record(const char* operation, const nlohmann::json& body) override;

  RankGroup group_;
};

}  // namespace kjoule
