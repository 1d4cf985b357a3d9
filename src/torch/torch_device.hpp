#pragma once
#include "device/device.hpp"
#include "torch/model.hpp"
#include "torch/recorded_program.hpp"

namespace kjoule::runner {

/// The CPU as a Device, whose kernels are libtorch's operators. The calling thread must be in inference mode.
class TorchDevice final : public Device {
 public:
  explicit TorchDevice(std::unique_ptr<Model> model);
  const DeviceInfo& info() const override { return info_; }
  Recording record() override;
  Verification verify() override;
  std::unique_ptr<Track> open(const TrackSpec& spec) override;
  void begin_round(int) override {}

 private:
  void require_recording() const;

  std::unique_ptr<Model> model_;
  DeviceInfo info_;
  RecordedProgram program_;
};

}  // namespace kjoule::runner
