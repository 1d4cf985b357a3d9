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
  /// Runs one iteration and discards its output. On a GPU, the work may still be running when run() returns.
  virtual void run() = 0;
  /// Returns whether the operators of the work pass through PyTorch's dispatcher. If false, they cannot be
  /// recorded.
  virtual bool operators_visible() const = 0;
  /// Returns the description of the work for a recording: for a model, its kind, file, metadata, inputs and
  /// seed.
  const nlohmann::json& description() const { return description_; }

 protected:
  nlohmann::json description_;
};

/// Opens a TorchScript (.pt) or AOTInductor (.pt2) file. Throws Error if the file is missing, truncated, of
/// another kind or compiled for another device, or if the model does not accept the sizes in `work`.
std::unique_ptr<Model> open_model(const ModelWork& work, c10::Device device);

}  // namespace kjoule::runner
