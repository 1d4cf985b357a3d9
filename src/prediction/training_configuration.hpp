#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// An operator of a run: its shape is the run's, but for sizes that the run has not, or has otherwise.
struct StepOperator {
  std::string name;
  std::map<std::string, double> sizes{};  ///< by column of its table
};

/// A training run with 3D parallelism, as the guide's YAML describes it.
struct TrainingConfiguration {
  std::string gpu;
  std::string operator_folder, collective_folder;  ///< where the samples are
  int pipeline = 1, tensor = 1, data = 1;          ///< ways of each parallelism: pp, mp, dp
  double batch = 1;                                ///< sequences of a micro-batch
  double heads = 1, tokens = 1, width = 1;         ///< h, l, dim
  int micro_batches = 1;                           ///< of one optimizer step, m
  int gpus_per_node = 1;
  double bucket = 1;  ///< elements that one collective of the gradients or parameters carries at most
  int layers = 1;
  std::string precision = "fp16";             ///< of the tables
  std::vector<StepOperator> layer_operators;  ///< those of one layer, in order
  bool recomputes = true;                     ///< a layer's activations, in its backward pass
  std::optional<double> power_limit_w;        ///< what one GPU may draw for long
  std::string norm;
  int forward_syncs = 0, backward_syncs = 0;  ///< all-reduces of a layer's activations, each pass

  double ranks() const { return static_cast<double>(pipeline) * tensor * data; }
};

/// Throws Error with file and line: what is missing, of the wrong length or out of range.
TrainingConfiguration read_training_configuration(std::string_view yaml, const std::string& file);

/// An operator's shape in this run: its columns by name (mp, b, h, l, dim, encoders; rows are b l), those of
/// `sizes` first. Throws Error for a column that neither has.
std::vector<double> shape_in(const TrainingConfiguration& run, const std::vector<std::string>& columns,
                             double layers, const std::map<std::string, double>& sizes = {});

}  // namespace kjoule
