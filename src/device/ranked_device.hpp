#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/forwarding_device.hpp"
#include "device/injected_program.hpp"
#include "device/rank_group.hpp"

namespace kjoule {

/// The GPUs of a program's ranks, which replay in step. It is used as the GPU of one of the ranks: its
/// recording is described, its launches are timed, and the others replay the same iterations with it. At
/// first this is the rank that was linked first. If its iteration has no collectives, the others are given
/// up, and it is the only one.
class RankedDevice final : public ForwardingDevice {
 public:
  explicit RankedDevice(std::shared_ptr<InjectedProgram> program);
  const DeviceInfo& info() const override { return group_.info(); }
  std::unique_ptr<Track> open(const TrackSpec& spec) override;

  /// Returns all ranks, the measured one first, after several have recorded an iteration; empty otherwise.
  const std::vector<RecordedRank>& ranks() const { return group_.ranks(); }
  /// Uses the device as that of another rank from now on. No track may be open.
  void use_as(size_t rank) { group_.use_as(rank); }

 private:
  nlohmann::json call(const char* operation, const nlohmann::json& body) override;
  nlohmann::json call_to_record(const char* operation, const nlohmann::json& body) override;

  RankGroup group_;
};

}  // namespace kjoule
