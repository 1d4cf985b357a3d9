#pragma once
#include <optional>
#include <string>
#include <vector>

#include "prediction/step_models.hpp"
#include "prediction/training_configuration.hpp"

namespace kjoule {

/// In which order a pipeline stage takes its micro-batches: all forwards before all backwards, or one of each
/// in turns as soon as the stage has its first gradient.
enum class Schedule { gpipe, one_forward_one_backward };

/// A stage whose GPUs would draw more than they may.
struct HeldBack {
  double watts;  ///< of one GPU on average over the stage's work, if there were no limit
  double times;  ///< as long as it would take without: in the stage's costs
};

/// One pipeline stage. Costs are of one rank and one micro-batch, and the transfer to the next stage is in
/// them.
struct Stage {
  int layers = 0;
  double parameters = 0;  ///< of one rank
  Cost forward, backward;
  Cost update;  ///< once a step: gradients reduced, optimizer, parameters gathered
  std::optional<HeldBack> held_back{};
};

/// One optimizer step, put together from its terms.
struct StepPrediction {
  std::vector<StepLine> lines;
  std::vector<Stage> stages;
  double pipeline_us = 0, update_us = 0;
  double total_us = 0;
  /// Of all GPUs while they work; what they draw while they wait for each other is not in it. Nothing when
  /// there is a term whose energy is not known.
  std::optional<double> joules;
};

/// As the guide's tool puts it together (docs/guide/predict.md has the formulas): three stages stand for all,
/// every micro-batch takes as long as the slowest, and only the head's gradients are reduced.
StepPrediction reference_step(const TrainingConfiguration& run, StepModels& models);
/// With that tool's mistakes put right. Throws Error when there are more stages than layers can be shared
/// among, and when a power limit is given and a term's energy is not known.
StepPrediction corrected_step(const TrainingConfiguration& run, StepModels& models, Schedule schedule);

/// Layers of each stage: embedding and head stand for two and three, and what cannot be shared evenly goes to
/// the first.
std::vector<int> layers_of_stages(int layers, int stages);
/// Time from the first forward to the last backward of `micro_batches`, each stage doing one thing at a time.
double pipeline_us(const std::vector<Stage>& stages, int micro_batches, Schedule schedule);

}  // namespace kjoule
