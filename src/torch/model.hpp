#pragma once
#include <torch/script.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "device/runner_work.hpp"

namespace kjoule::runner {

/// Work that runs in iterations: an exported model with its inputs, or calls of operators.
class Model {
 public:
  virtual ~Model() = default;
  /// Runs one iteration and drops its output. A GPU may still be running it when run() returns.
  virtual void run() = 0;
  /// Returns whether its operators go through the dispatcher, where they can be recorded.
  virtual bool operators_visible() const = 0;
  /// Returns what a recording keeps of its program: kind, file, metadata, inputs and seed of a model.
  const nlohmann::json& description() const { return description_; }

 protected:
  nlohmann::json description_;
};

/// Opens a TorchScript (.pt) or AOTInductor (.pt2) file. Throws Error for a file that is missing, truncated,
/// of another kind or compiled for another device, and for sizes that the model does not accept.
std::unique_ptr<Model> open_model(const ModelWork& work, c10::Device device);

}  // namespace kjoule::runner
