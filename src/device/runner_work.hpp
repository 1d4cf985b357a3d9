#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device/sample_protocol.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// A model and its inputs. What is not given comes from the file.
struct ModelWork {
  std::string path;  ///< TorchScript (.pt) or AOTInductor (.pt2) file
  std::optional<int64_t> seq_len{};
  std::optional<int64_t> batch{};
  /// Inputs of a file that kjoule did not export: "int64:1x5:0..1000", "float32:1x3x224x224".
  std::vector<std::string> inputs{};
  uint64_t seed = 0;
};

/// What kjoule-torch is to run, and where.
struct RunnerWork {
  std::string device = "cpu";  ///< "cpu", "cuda" or "cuda:1"
  int threads = 0;             ///< of libtorch; 0 for its own choice
  /// An iteration runs the model, or each call or sampled operator once. A process without work only answers
  /// requests.
  std::variant<std::monostate, ModelWork, std::vector<ReplayCall>, std::vector<SampleRequest>> what{};
};

template <class Fields>
void describe(Fields& fields, ModelWork& model) {
  fields("path", model.path);
  fields("seq_len", model.seq_len);
  fields("batch", model.batch);
  fields("inputs", model.inputs);
  fields("seed", model.seed);
}
/// The work is in "model", "calls" or "operators". Reading throws Error where more than one is given.
void describe(FieldWriter& fields, RunnerWork& work);
void describe(FieldReader& fields, RunnerWork& work);

/// Writes the file that kjoule-torch --work reads.
void write_work(const std::filesystem::path& file, const RunnerWork& work);
/// Throws Error naming the file and the field that is missing or wrong.
RunnerWork read_work(const std::filesystem::path& file);

}  // namespace kjoule
