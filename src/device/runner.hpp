#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "device/device.hpp"
#include "device/roof.hpp"
#include "device/runner_work.hpp"

namespace kjoule {

/// What kjoule-torch does on one device. When its process is lost, every call throws DeviceError with `lost`
/// set.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Chooses the device and opens the work there; the first call, and the only one of its kind. Returns null
  /// where `work` names a device and nothing to run. Throws Error.
  virtual std::unique_ptr<Device> start(const RunnerWork& work) = 0;
  /// Makes a call once and keeps its data: all calls that are tried must fit into memory together. Returns
  /// the operator that it calls. Throws Error where the call cannot be made.
  virtual std::string try_call(const ReplayCall& call) = 0;
  /// Where samples are timed.
  virtual SamplingDevice sampling_device() = 0;
  /// Times an operator. The answer to one that cannot be timed says why.
  virtual SampleAnswer sample(const SampleRequest& request) = 0;
  /// Measures the highest rates of the device with tensors of that type ("Half").
  virtual Roof roof(const std::string& type) = 0;
  /// What the model's file states about itself (Model::description() of kjoule-torch).
  virtual nlohmann::json describe(const ModelWork& model) = 0;
  /// False once a call has left the device unusable, or the process is lost: another process is needed.
  virtual bool is_usable() const = 0;
};

}  // namespace kjoule
