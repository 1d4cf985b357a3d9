#pragma once
#include <vector>

#include "prediction/trained_models.hpp"
#include "prediction/training_configuration.hpp"

namespace kjoule {

/// A model of `source` that a training step needs: the times of a table in one direction, and the energies if
/// there are any.
struct NeededModel {
  TrainedModels* source;
  TableName table;
  Direction direction;
};

/// Returns the models from which a training step is predicted, each once, in the order of their first use.
/// Trains none. Throws Error if a table is missing or if the step cannot be predicted (step.hpp).
std::vector<NeededModel> needed_models(const TrainingConfiguration& run, TrainedModels& operators,
                                       TrainedModels& collectives);

}  // namespace kjoule
