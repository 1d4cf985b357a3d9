#pragma once
#include "cuda/replay/observed_iteration.hpp"
#include "cuda/watch/program_monitor.hpp"
#include "device/device.hpp"

namespace kjoule::cuda {

/// Records one iteration of a program and then lets the program continue. The iteration cannot be replayed.
class CudaRecorder final : public Device {
 public:
  explicit CudaRecorder(ProgramMonitor& monitor);
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  std::optional<Observation> observe() override;
  void begin_round(int) override {}

 private:
  ProgramMonitor& monitor_;
  DeviceInfo info_;
  ObservedIteration observed_;
};

}  // namespace kjoule::cuda
