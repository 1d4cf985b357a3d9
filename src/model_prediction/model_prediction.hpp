#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model_prediction/operator_estimate.hpp"
#include "model_prediction/recorded_operator.hpp"

namespace kjoule {

/// The predicted calls of an operator with the same sizes.
struct PredictedCalls {
  std::string name;   ///< "aten::linear"
  std::string sizes;  ///< sizes of its first tensors: "1x5x1024, 3072x1024"
  std::string kind;   ///< kind of its work: "matrix product"
  size_t calls = 0;
  std::vector<CallEstimate> parts;  ///< of one call; empty if it cannot be predicted
  std::string missing;              ///< the reason why it cannot be predicted

  /// Returns the cost of one call. It must have been predicted.
  Estimate us() const;
  std::optional<Estimate> joules() const;  ///< absent if a part has no energy
  Basis basis() const;                     ///< Returns the least reliable basis of all parts.
};

/// What calls take longer in a model than when one of them is repeated, as in the samples: a launch waits for
/// the launch before it, and data are less often in the cache.
struct ContextCost {
  Estimate us;
  std::optional<Estimate> joules;  ///< absent if no table has energies
};

/// The slowdown of a model that would exceed the power limit of its GPU.
struct ModelSlowdown {
  double watts = 0;   ///< mean power without the limit
  double factor = 1;  ///< time with the limit divided by time without
};

/// The predicted iteration of a model. The sum contains only the calls that are predicted, and the context.
struct ModelPrediction {
  std::vector<PredictedCalls> operators;  ///< the operator with the most time first
  size_t calls_without_work = 0;          ///< calls that launch nothing, such as views
  ContextCost context;                    ///< included in us and joules
  Estimate us;
  /// Absent if no table has energies. Calls without an energy have the mean power of the others.
  std::optional<Estimate> joules;
  std::optional<ModelSlowdown> slowdown;  ///< included in us and joules

  size_t calls() const;  ///< Returns the number of calls that launch work.
  size_t calls_not_predicted() const;
  /// Returns the share of the sum's time, in %, that has this basis.
  double share_percent(Basis basis) const;
};

/// Predicts one iteration of the recorded operators. `power_limit_w` is the power limit of the GPU in W;
/// without it, the GPU is assumed to keep its clock. Throws Error if no operator can be predicted, or if a
/// power limit is given without energies.
ModelPrediction predict_model(const RecordedOperators& recorded, OperatorEstimator& estimator,
                              std::optional<double> power_limit_w = {});

}  // namespace kjoule
