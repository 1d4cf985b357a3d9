#pragma once
#include <torch/script.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "device/runner_work.hpp"

namespace kjoule::child {

/// An exported model with its inputs, ready to run.
class Model {
 public:
  virtual ~Model() = default;
  /// One iteration; its output is dropped. A GPU may still be working on it afterwards.
  virtual void run() = 0;
  /// Whether its operators go through the dispatcher, where they can be recorded.
  virtual bool operators_visible() const = 0;
  /// File, hash, metadata and inputs: what a recording keeps of its program.
  const nlohmann::json& description() const { return description_; }

 protected:
  nlohmann::json description_;
};

/// Opens a TorchScript (.pt) or AOTInductor (.pt2) file. Throws Error for a file that is missing, truncated,
/// of another kind or compiled for another device, and for sizes that it cannot take.
std::unique_ptr<Model> open_model(const ModelWork& work, c10::Device device);

}  // namespace kjoule::child
