#pragma once
#include <map>
#include <string>
#include <vector>

#include "predict/operator_model.hpp"
#include "predict/samples.hpp"
#include "predict/trained_models.hpp"
#include "predict/training_configuration.hpp"

namespace kjoule {

/// What times of operators and collectives are taken from when a training step is put together.
class StepModels {
 public:
  virtual ~StepModels() = default;
  virtual Prediction operation(const std::string& name, Direction direction,
                               const std::vector<double>& shape) = 0;
  /// `elements` sent between `gpus` GPUs on each of `nodes` nodes.
  virtual Prediction collective(const std::string& name, double elements, int nodes, int gpus) = 0;
};

/// kjoule's own models of a GPU's samples in fp16.
class TrainedStepModels final : public StepModels {
 public:
  TrainedStepModels(TrainedModels& operators, TrainedModels& collectives, std::string gpu)
      : operators_(operators), collectives_(collectives), gpu_(std::move(gpu)) {}
  Prediction operation(const std::string& name, Direction direction,
                       const std::vector<double>& shape) override;
  /// From the table of all topologies when this one was not sampled; the prediction then says so.
  Prediction collective(const std::string& name, double elements, int nodes, int gpus) override;

 private:
  TrainedModels& operators_;
  TrainedModels& collectives_;
  const std::string gpu_;
};

/// One term of a step's time.
struct StepLine {
  std::string name;           ///< operator and direction, or collective and topology
  std::vector<double> input;  ///< shape, or elements
  Prediction prediction;
};

/// Asks models for the terms of one step, and keeps them in the order in which they were first asked for.
class StepTerms {
 public:
  StepTerms(const TrainingConfiguration& run, StepModels& models) : run_(run), models_(models) {}

  double operation_us(const std::string& name, Direction direction, double layers = 0);
  /// 0 us for no elements.
  double collective_us(const std::string& name, double elements, int nodes, int gpus);
  /// In as many collectives as buckets of `run.bucket` elements are needed.
  double bucketed_us(const std::string& name, double elements, int nodes, int gpus);
  double sum_us(const std::vector<std::string>& names, Direction direction);
  const std::vector<StepLine>& lines() const { return lines_; }

 private:
  double once(const std::string& name, const std::vector<double>& input, const Prediction& prediction);

  const TrainingConfiguration& run_;
  StepModels& models_;
  std::vector<StepLine> lines_;
  std::map<std::string, double> known_;
};

}  // namespace kjoule
