#pragma once
#include "cuda/observe.hpp"
#include "cuda/watch.hpp"
#include "device/device.hpp"

namespace kjoule::driver {

/// Records one iteration of a program and then lets the program continue. The iteration cannot be replayed.
class CudaRecorder final : public Device {
 public:
  explicit CudaRecorder(Watch& watch);
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  std::optional<Observation> observe() override;
  void begin_round(int) override {}

 private:
  Watch& watch_;
  DeviceInfo info_;
  ObservedIteration observed_;
};

}  // namespace kjoule::driver
