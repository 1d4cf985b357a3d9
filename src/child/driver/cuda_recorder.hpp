#pragma once
#include "play/device.hpp"
#include "watch.hpp"

namespace kjoule::driver {

/// Records an iteration of a program that runs on; nothing can be played.
class CudaRecorder final : public Device {
 public:
  explicit CudaRecorder(Watch& watch);
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  void begin_round(int) override {}

 private:
  Watch& watch_;
  DeviceInfo info_;
};

}  // namespace kjoule::driver
