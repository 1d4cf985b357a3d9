#pragma once
#include <optional>
#include <string>
#include <vector>

#include "prediction/step_models.hpp"
#include "prediction/training_configuration.hpp"

namespace kjoule {

/// The order in which a pipeline stage processes its micro-batches: all forward passes before all backward
/// passes, or alternating as soon as the stage has received its first gradient.
enum class Schedule { gpipe, one_forward_one_backward };

/// The slowdown of a stage whose GPUs would exceed their power limit.
struct PowerLimitSlowdown {
  double watts;   ///< mean power in W of one GPU during the stage's work, without the limit
  double factor;  ///< time with the limit divided by time without; included in the stage's costs
};

/// One pipeline stage. Costs are those of one rank and one micro-batch, including the transfer to the next
/// stage.
struct Stage {
  int layers = 0;
  double parameters = 0;  ///< number of parameters of one rank
  Cost forward, backward;
  Cost update;  ///< cost per step: reduction of gradients, optimizer, gathering of parameters
  std::optional<PowerLimitSlowdown> slowdown{};
};

/// The predicted time and energy of one optimizer step, with its terms.
struct StepPrediction {
  std::vector<StepLine> lines;
  std::vector<Stage> stages;
  double pipeline_us = 0, update_us = 0;  ///< time of all forward and backward passes, and of the update
  double total_us = 0;
  /// The energy of all GPUs while they work, without the energy while they wait for each other. Absent if the
  /// energy of any term is not known.
  std::optional<double> joules;
};

/// Predicts a step with the formulas of the external tool estimate-train-time (docs/guide/predict.md): three
/// stages represent all stages, every micro-batch takes as long as the slowest stage, and only the first
/// stage's gradients are reduced. Throws Error if there are too few layers for the stages.
StepPrediction predict_reference_step(const TrainingConfiguration& run, StepModels& models);
/// Predicts a step without the mistakes of the formulas of estimate-train-time. Throws Error if there are too
/// few layers for the stages, or if a power limit is given but the energy of a term is not known.
StepPrediction predict_corrected_step(const TrainingConfiguration& run, StepModels& models,
                                      Schedule schedule);

/// Throws Error if there are too few layers for the stages: `fewest`, the number of layers of the stage that
/// has the fewest, is below 1.
void check_fewest_layers(int fewest, int layers, int stages);
/// Returns the number of layers of each stage. The embedding counts as two layers and the head of the network
/// as three. If the division is uneven, the first stages get one layer more.
std::vector<int> divide_layers(int layers, int stages);
/// Returns the time in us from the first forward to the last backward pass of `micro_batches`. Each stage
/// processes one pass at a time.
double pipeline_duration_us(const std::vector<Stage>& stages, int micro_batches, Schedule schedule);

}  // namespace kjoule
