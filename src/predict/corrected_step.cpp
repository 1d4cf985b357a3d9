#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "predict/step.hpp"

namespace kjoule {

namespace {

/// Elements from which on collectives were sampled in tables of their own.
constexpr double kLarge = 134217728;

const char* all_reduce(double elements) {
  return elements < kLarge ? "allreduce" : "allreduce_large";
}

/// One pass through a pipeline stage, or its parameters: head and tail of the network are apart from its
/// layers.
class Stages {
 public:
  Stages(const TrainingConfiguration& run, StepModels& models) : run_(run), terms_(run, models) {}

  StepPrediction predict(Schedule schedule) {
    const std::vector<int> layers = layers_of_stages(run_.layers, run_.pipeline);
    StepPrediction step;
    for (size_t s = 0; s < layers.size(); ++s)
      step.stages.push_back(stage(layers[s], s == 0, s + 1 == layers.size()));
    for (const Stage& stage : step.stages) step.update_us = std::max(step.update_us, stage.update_us);
    step.pipeline_us = pipeline_us(step.stages, run_.micro_batches, schedule);
    step.total_us = step.pipeline_us + step.update_us;
    step.lines = terms_.lines();
    return step;
  }

 private:
  double activations() const { return run_.batch * run_.tokens * run_.width; }

  double sync_us() {
    if (run_.tensor == 1) return 0;
    const int gpus = std::min(run_.tensor, run_.gpus_per_node);
    return terms_.collective_us(all_reduce(activations()), activations(), nodes_of(run_.tensor, gpus), gpus);
  }

  /// To the next stage, mp * dp ranks further: on another node as soon as not all ranks fit on one.
  double transfer_us() {
    const bool one_node = run_.pipeline * run_.tensor * run_.data <= run_.gpus_per_node;
    return terms_.collective_us("p2p", std::floor(activations() / run_.tensor), one_node ? 1 : 2,
                                one_node ? 2 : 1);
  }

  Stage stage(int layers, bool head, bool tail) {
    Stage stage;
    stage.layers = layers;
    const double sync = sync_us();
    const double forward =
        terms_.sum_us(run_.layer_operators, Direction::forward) + run_.forward_syncs * sync;
    const double backward =
        terms_.sum_us(run_.layer_operators, Direction::backward) + run_.backward_syncs * sync + forward;
    stage.forward_us = layers * forward;
    stage.backward_us = layers * backward;
    const double table = vocabulary_part(run_.tensor) * run_.width;
    stage.parameters = layers * layer_parameters(run_.tensor, run_.width);
    if (head) {
      stage.forward_us += terms_.operation_us("embedding", Direction::forward) + sync;
      stage.backward_us += terms_.operation_us("embedding", Direction::backward);
      stage.parameters += table;
    } else {
      stage.backward_us += transfer_us();
    }
    if (tail) {
      const std::vector<std::string> end{run_.norm, "linear_final", "parallel_cross_entropy_128"};
      stage.forward_us += terms_.sum_us(end, Direction::forward);
      stage.backward_us += terms_.sum_us(end, Direction::backward);
      stage.parameters += table + 2 * run_.width;
    } else {
      stage.forward_us += transfer_us();
    }
    stage.update_us = update_us(stage, head, tail);
    return stage;
  }

  /// Gradients of the stage's parameters reduced among replicas, a share of the optimizer's work, parameters
  /// gathered.
  double update_us(const Stage& stage, bool head, bool tail) {
    const double optimizer = optimizer_us(stage, head, tail) / run_.data;
    if (run_.data == 1) return optimizer;
    const int gpus = std::min(run_.data, std::max(1, run_.gpus_per_node / run_.tensor));
    const int nodes = nodes_of(run_.data, gpus);
    const double largest = std::min(stage.parameters, run_.bucket);
    return terms_.bucketed_us(all_reduce(largest), stage.parameters, nodes, gpus) +
           terms_.bucketed_us("allgather_large", std::floor(stage.parameters / run_.data), nodes, gpus) +
           optimizer;
  }

  /// The sampled optimizer of the stage nearest in kind, by how many more parameters this one has.
  double optimizer_us(const Stage& stage, bool head, bool tail) {
    const std::string name = head   ? "firstStage_optimizer"
                             : tail ? "lastStage_optimizer"
                                    : "middleStage_optimizer";
    const std::vector<double> shape{static_cast<double>(run_.tensor), run_.width,
                                    static_cast<double>(stage.layers)};
    const OperatorWork sampled = known_operator(name)->work(shape);
    double parameters = sampled.streams.front();
    if (sampled.streams.size() > 2) parameters += sampled.streams[2];
    return terms_.operation_us(name, Direction::step, stage.layers) * stage.parameters / parameters;
  }

  static int nodes_of(int ranks, int gpus) { return (ranks + gpus - 1) / gpus; }

  const TrainingConfiguration& run_;
  StepTerms terms_;
};

}  // namespace

std::vector<int> layers_of_stages(int layers, int stages) {
  const int units = layers + 5;
  std::vector<int> shares(static_cast<size_t>(stages), units / stages);
  for (int s = 0; s < units % stages; ++s) ++shares[static_cast<size_t>(s)];
  shares.front() -= 2;
  shares.back() -= 3;
  if (*std::min_element(shares.begin(), shares.end()) < 1)
    throw Error(fmt::format("{} layers cannot be shared among {} pipeline stages", layers, stages),
                "give a smaller pp");
  return shares;
}

StepPrediction corrected_step(const TrainingConfiguration& run, StepModels& models, Schedule schedule) {
  return Stages(run, models).predict(schedule);
}

}  // namespace kjoule
