#pragma once
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "device/device.hpp"
#include "device/roof.hpp"
#include "device/runner_work.hpp"

namespace kjoule {

/// The requests that kjoule-torch answers for one device; kjoule-blas answers only start() and try_call().
/// After the process is lost, every call throws DeviceError with `lost` set.
class Runner {
 public:
  virtual ~Runner() = default;
  /// Chooses the device and opens the work on it. This must be the first call, and can be made only once.
  /// Returns null if `work` names a device, but contains nothing to run. Throws Error if the device or the
  /// work cannot be opened.
  virtual std::unique_ptr<Device> start(const RunnerWork& work) = 0;
  /// Executes a call once and keeps its tensors. So the tensors of all tried calls must fit into memory
  /// together. Returns the time of the call, s, which includes what only a first call does. Throws Error if
  /// the call cannot be executed.
  virtual double try_call(const ReplayCall& call) = 0;
  /// Returns the device on which samples are timed.
  virtual SamplingDevice sampling_device() = 0;
  /// Times an operator. If the operator cannot be timed, the answer contains the reason.
  virtual SampleAnswer sample(const SampleRequest& request) = 0;
  /// Measures the highest rates of the device with tensors of type `type` ("Half").
  virtual Roof roof(const std::string& type) = 0;
  /// Returns what the model's file states about itself (Model::description() of kjoule-torch).
  virtual nlohmann::json describe(const ModelWork& model) = 0;
  /// Returns false once a call has left the device unusable or the process is lost. Further calls then need a
  /// new process.
  virtual bool is_usable() const = 0;
};

}  // namespace kjoule
