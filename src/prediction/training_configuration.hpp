#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prediction/own_operator.hpp"

namespace kjoule {

/// An operator of a training run. It has the sizes of the run, except for those in `sizes`.
struct StepOperator {
  std::string name;
  std::map<std::string, double> sizes{};  ///< sizes by column of the operator's table
};

/// A training run with 3D parallelism, in the YAML format of the external tool estimate-train-time.
struct TrainingConfiguration {
  std::string gpu;
  std::string operator_folder, collective_folder;  ///< folders of the samples
  int pipeline = 1, tensor = 1, data = 1;          ///< numbers of parallel ranks: pp, mp, dp
  double batch = 1;                                ///< sequences per micro-batch
  double heads = 1, tokens = 1, width = 1;         ///< heads, sequence length and hidden size: h, l, dim
  int micro_batches = 1;                           ///< micro-batches per optimizer step: m
  int gpus_per_node = 1;
  double bucket = 1;  ///< largest number of gradients or parameters in one collective
  int layers = 1;
  std::string precision = "fp16";             ///< precision of the tables
  std::vector<StepOperator> layer_operators;  ///< operators of one layer, in order
  bool recomputes = true;                     ///< whether the backward pass recomputes a layer's activations
  std::optional<double> power_limit_w;        ///< sustained power limit of one GPU
  std::string norm;                           ///< name of the normalisation operator
  int forward_syncs = 0, backward_syncs = 0;  ///< number of all-reduces of a layer's activations per pass
  std::map<std::string, OwnOperator> own_operators{};  ///< the operators in use that are the user's own

  /// Returns the operator of this name. Throws Error if the configuration has none.
  const OperatorKind& kind_of(const std::string& name) const;
  double ranks() const { return static_cast<double>(pipeline) * tensor * data; }
};

/// Returns the operator of the user's own with a name, or no value: (operator_folder, name).
using FindOwnOperator =
    std::function<std::optional<OwnOperator>(const std::string& folder, const std::string& name)>;

/// Reads a configuration. `find_own` is asked for operators that kjoule does not know. Throws Error with file
/// and line if a key is missing, or if its value has a wrong length or is out of range.
TrainingConfiguration read_training_configuration(std::string_view yaml, const std::string& file,
                                                  const FindOwnOperator& find_own = {});

/// Returns an operator's shape in this run: the value of each column (mp, b, h, l, dim, encoders = `layers`,
/// rows = b x l), or of the column's formula (OwnOperator::step_shape). Values in `called.sizes` take
/// precedence. Throws Error if a column has no value.
std::vector<double> shape_in(const TrainingConfiguration& run, const StepOperator& called, double layers);

}  // namespace kjoule
