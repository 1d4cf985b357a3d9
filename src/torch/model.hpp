#pragma once
#include <torch/script.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace kjoule::child {

/// What the user asked for; what is not given comes from the file.
struct ModelOptions {
  std::string path;
  std::optional<int64_t> seq_len;
  std::optional<int64_t> batch;
  /// Inputs of a file that kjoule did not export, e.g. "int64:1x5:0..1000" or "float32:1x3x224x224".
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  c10::Device device = at::kCPU;
};

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
std::unique_ptr<Model> open_model(const ModelOptions& options);

}  // namespace kjoule::child
