#pragma once
#include <c10/core/Device.h>

#include <optional>
#include <vector>

#include "device/runner.hpp"
#include "torch/gloo_group.hpp"
#include "torch/prepared_call.hpp"

namespace kjoule::runner {

/// A Runner that uses libtorch on one device. The calling thread must be in inference mode.
class TorchRunner final : public Runner {
 public:
  std::unique_ptr<Device> start(const RunnerWork& work) override;
  double try_call(const ReplayCall& call) override;
  SamplingDevice sampling_device() override;
  SampleAnswer sample(const SampleRequest& request) override;
  Roof roof(const std::string& type) override;
  nlohmann::json describe(const ModelWork& model) override;
  bool is_usable() const override { return is_usable_; }

 private:
  std::optional<GlooGroup> group_;  ///< of a rank; left after everything that uses it
  c10::Device device_ = c10::Device(c10::kCPU);
  CallableOperators callable_;
  std::optional<CallArguments> arguments_;
  std::vector<std::unique_ptr<PreparedCall>> kept_;
  bool is_usable_ = true;
};

}  // namespace kjoule::runner
