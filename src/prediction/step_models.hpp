#pragma once
#include <map>
#include <string>
#include <vector>

#include "prediction/cost.hpp"
#include "prediction/operator_model.hpp"
#include "prediction/samples.hpp"
#include "prediction/trained_models.hpp"
#include "prediction/training_configuration.hpp"

namespace kjoule {

/// The source of times and energies for the operators and collectives of a training step.
class StepModels {
 public:
  virtual ~StepModels() = default;
  /// Predicts one direction of an operator.
  virtual OperatorPrediction operation(const std::string& name, Direction direction,
                                       const std::vector<double>& shape) = 0;
  /// Predicts a collective of `elements` elements among `gpus` GPUs on each of `nodes` nodes. The energy is
  /// that of one GPU.
  virtual OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) = 0;
};

/// The models that kjoule trains on the samples of one GPU in one precision.
class TrainedStepModels final : public StepModels {
 public:
  TrainedStepModels(TrainedModels& operators, TrainedModels& collectives, std::string gpu,
                    std::string precision)
      : operators_(operators),
        collectives_(collectives),
        gpu_(std::move(gpu)),
        precision_(std::move(precision)) {}
  OperatorPrediction operation(const std::string& name, Direction direction,
                               const std::vector<double>& shape) override;
  /// Uses the table of all topologies if this topology was not sampled.
  OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) override;

 private:
  TrainedModels& operators_;
  TrainedModels& collectives_;
  const std::string gpu_, precision_;
};

/// One term of a training step.
struct StepLine {
  std::string name;           ///< operator and direction, or collective and topology
  std::vector<double> input;  ///< shape, or number of elements
  OperatorPrediction prediction;
};

/// Predicts the terms of one training step, and stores each of them once, in the order of their first use.
class StepTerms {
 public:
  StepTerms(const TrainingConfiguration& run, StepModels& models) : run_(run), models_(models) {}

  /// Returns the cost of an operator. `layers` is the value of its column `encoders` (optimizers).
  Cost operation(const StepOperator& called, Direction direction, double layers = 0);
  /// Returns the cost of a collective; 0 for zero elements.
  Cost collective(const std::string& name, double elements, int nodes, int gpus);
  /// Splits the elements into collectives of at most `run.bucket` elements and returns the sum of their
  /// costs.
  Cost bucketed_collective(const std::string& name, double elements, int nodes, int gpus);
  /// Returns the sum of the costs of several operators.
  Cost sum(const std::vector<StepOperator>& called, Direction direction);
  const std::vector<StepLine>& lines() const { return lines_; }

 private:
  Cost add_line(const std::string& name, const std::vector<double>& input,
                const OperatorPrediction& prediction);

  const TrainingConfiguration& run_;
  StepModels& models_;
  std::vector<StepLine> lines_;
  std::map<std::string, Cost> costs_;
};

}  // namespace kjoule
