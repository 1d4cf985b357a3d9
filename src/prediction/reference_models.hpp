#pragma once
#include <functional>
#include <map>
#include <string>

#include "prediction/sampled_data.hpp"
#include "prediction/step_models.hpp"
#include "prediction/trees.hpp"

namespace kjoule {

/// The regressors of the external tool estimate-train-time. For each table, the file GPU.csv in the folder
/// states a random forest or boosted trees with hyper-parameters. They are trained on the times of all rows
/// in every run. They predict no energy, and their intervals have no width.
class ReferenceModels final : public StepModels {
 public:
  ReferenceModels(SampledData operators, SampledData collectives, std::string gpu, std::string precision,
                  unsigned seed);

  /// Called with the row of GPU.csv before a model is trained.
  std::function<void(const std::string&)> on_training = [](const std::string&) {};

  /// Both functions predict the time. They throw Error if GPU.csv or its row is missing, or if the row names
  /// an unknown model.
  OperatorPrediction operation(const std::string& name, Direction direction,
                               const std::vector<double>& shape) override;
  OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) override;

 private:
  struct Recipe {
    std::string model, hyper_parameters;
  };
  const Trees& train_trees(const SampledData& data, const TableName& table, const std::string& row,
                           const std::function<std::vector<double>(const std::vector<double>&)>& features,
                           Direction direction);
  Recipe find_recipe(const SampledData& data, const std::string& row) const;

  SampledData operators_, collectives_;
  const std::string gpu_, precision_;
  const unsigned seed_;
  std::map<std::string, Trees> models_;
};

}  // namespace kjoule
