#pragma once
#include <functional>
#include <map>
#include <string>

#include "prediction/sampled_data.hpp"
#include "prediction/step_models.hpp"
#include "prediction/trees.hpp"

namespace kjoule {

/// The guide's own regressors: of each table the random forest or boosted trees, with the hyper-parameters,
/// that GPU.csv in the folder names, grown on all rows' plain times. Grown anew in every run; they know
/// nothing of energy and of ranges: their intervals have no width.
class ReferenceModels final : public StepModels {
 public:
  ReferenceModels(SampledData operators, SampledData collectives, std::string gpu, std::string precision,
                  unsigned seed);

  std::function<void(const std::string&)> on_training = [](const std::string&) {};

  /// Throw Error when GPU.csv, or its row, is missing or names no model that is known.
  OperatorPrediction operation(const std::string& name, Direction direction,
                               const std::vector<double>& shape) override;
  OperatorPrediction collective(const std::string& name, double elements, int nodes, int gpus) override;

 private:
  struct Recipe {
    std::string model, hyper_parameters;
  };
  const Trees& grown(const SampledData& data, const TableName& table, const std::string& row,
                     const std::function<std::vector<double>(const std::vector<double>&)>& features,
                     Direction direction);
  Recipe recipe(const SampledData& data, const std::string& row) const;

  SampledData operators_, collectives_;
  const std::string gpu_, precision_;
  const unsigned seed_;
  std::map<std::string, Trees> models_;
};

}  // namespace kjoule
