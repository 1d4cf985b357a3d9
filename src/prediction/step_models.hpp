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

/// What times and energies of operators and collectives are taken from when a training step is put together.
class StepModels {
 public:
  virtual ~StepModels() = default;
  virtual OperatorPrediction operation(const std::string& name, Direction direction,
                                       const std::vector<double>& shape) = 0;
  /// `elements` sent between `gpus` GPUs on each of `nodes` nodes; the energy is one GPU's.
  virtual OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) = 0;
};

/// kjoule's own models of a GPU's samples in one precision.
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
  /// From the table of all topologies when this one was not sampled; the prediction then says so.
  OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) override;

 private:
  TrainedModels& operators_;
  TrainedModels& collectives_;
  const std::string gpu_, precision_;
};

/// One term of a step.
struct StepLine {
  std::string name;           ///< operator and direction, or collective and topology
  std::vector<double> input;  ///< shape, or elements
  OperatorPrediction prediction;
};

/// Asks models for the terms of one step, and keeps them in the order in which they were first asked for.
class StepTerms {
 public:
  StepTerms(const TrainingConfiguration& run, StepModels& models) : run_(run), models_(models) {}

  Cost operation(const StepOperator& called, Direction direction, double layers = 0);
  /// Nothing for no elements.
  Cost collective(const std::string& name, double elements, int nodes, int gpus);
  /// In as many collectives as buckets of `run.bucket` elements are needed.
  Cost bucketed(const std::string& name, double elements, int nodes, int gpus);
  Cost sum(const std::vector<StepOperator>& called, Direction direction);
  const std::vector<StepLine>& lines() const { return lines_; }

 private:
  Cost once(const std::string& name, const std::vector<double>& input, const OperatorPrediction& prediction);

  const TrainingConfiguration& run_;
  StepModels& models_;
  std::vector<StepLine> lines_;
  std::map<std::string, Cost> known_;
};

}  // namespace kjoule
