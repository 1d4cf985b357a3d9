#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/injected_program.hpp"
#include "device/rank_group.hpp"

namespace kjoule {

/// The GPUs of a program's ranks, which replay in step. It is used as the GPU of one of the ranks: its
/// recording is described, its launches are timed, and the others replay the same iterations with it. At
/// first this is the rank that was linked first. If its iteration has no collectives, the others are given
/// up, and it is the only one.
class RankedDevice final : public Device {
 public:
  explicit RankedDevice(std::shared_ptr<InjectedProgram> program);
  const DeviceInfo& info() const override;
  Recording record() override;
  std::optional<Recording> record_window(const WindowSearch& search) override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  std::optional<Observation> observe() override;
  std::string leave() override;
  void stop_observing() override;
  void begin_round(int round) override;

  /// Returns all ranks, the first one first, after an iteration was recorded by several; empty otherwise.
  const std::vector<RecordedRank>& ranks() const;
  /// Uses the device as that of another rank from now on. No track may be open.
  void use_as(size_t rank);

 private:
  RankGroup group_;
};

}  // namespace kjoule
