#include <algorithm>
#include <cmath>

#include "prediction/step.hpp"

namespace kjoule {

namespace {

struct Group {
  int nodes, gpus;
};

/// The numbers of layers in the first, a middle and the last stage, as estimate-train-time counts them: L
/// layers are L + 5 units, because the embedding is two units and the head of the network three.
/// estimate-train-time uses all three kinds of stage, whatever the number of stages.
struct Counts {
  int head, middle, tail;
};

Counts counts(const TrainingConfiguration& run) {
  const int units = run.layers + 5;
  const Counts made{(units + run.pipeline - 1) / run.pipeline - 2, units / run.pipeline,
                    units / run.pipeline - 3};
  check_fewest_layers(std::min(made.head, made.tail), run.layers, run.pipeline);
  return made;
}

Group tensor_group(const TrainingConfiguration& run) {
  const int gpus = std::min(run.tensor, run.gpus_per_node);
  return {run.tensor / gpus, gpus};
}

/// Returns the nodes and GPUs per node of the data-parallel group. The group has a GPU for each tensor group
/// that fits on a node, even if there are fewer replicas.
Group data_group(const TrainingConfiguration& run) {
  const int gpus = std::max(1, run.gpus_per_node / run.tensor);
  return {std::max(1, run.data / gpus), gpus};
}

Cost update(StepTerms& terms, const TrainingConfiguration& run, const Stage& stage,
            const std::string& optimizer) {
  const Group group = data_group(run);
  return terms.bucketed_collective("allgather_large", std::floor(stage.parameters / run.data), group.nodes,
                                   group.gpus) +
         terms.operation({optimizer}, Direction::step, stage.layers);
}

}  // namespace

StepPrediction predict_reference_step(const TrainingConfiguration& run, StepModels& models) {
  StepTerms terms(run, models);
  const double activations = run.batch * run.tokens * run.width;
  const Group tensor = tensor_group(run);
  const Cost sync =
      run.tensor > 1 ? terms.collective("allreduce", activations, tensor.nodes, tensor.gpus) : Cost{};
  const Cost forward = terms.sum(run.layer_operators, Direction::forward) + run.forward_syncs * sync;
  const Cost backward =
      terms.sum(run.layer_operators, Direction::backward) + run.backward_syncs * sync + forward;
  const bool crosses = run.ranks() >= run.gpus_per_node;
  const Cost transfer = run.pipeline > 1 ? terms.collective("p2p", std::floor(activations / run.tensor),
                                                            crosses ? 2 : 1, crosses ? 1 : 2)
                                         : Cost{};
  const auto [head_layers, middle_layers, tail_layers] = counts(run);
  Stage head{head_layers, 0, {}, {}, {}}, middle{middle_layers, 0, {}, {}, {}},
      tail{tail_layers, 0, {}, {}, {}};
  head.forward = terms.operation({"embedding"}, Direction::forward) + sync + head.layers * forward + transfer;
  head.backward = terms.operation({"embedding"}, Direction::backward) + head.layers * backward;
  middle.forward = middle.layers * forward + transfer;
  middle.backward = middle.layers * backward + transfer;
  const std::vector<StepOperator> end{{run.norm}, {"linear_final"}, {"parallel_cross_entropy_128"}};
  tail.forward = tail.layers * forward + terms.sum(end, Direction::forward);
  tail.backward = tail.layers * backward + terms.sum(end, Direction::backward) + transfer;

  const double layer = layer_parameters(run.tensor, run.width),
               table = vocabulary_part(run.tensor) * run.width;
  head.parameters = table + head.layers * layer;
  middle.parameters = middle.layers * layer;
  tail.parameters = tail.layers * layer + 2 * run.width + table;

  StepPrediction step;
  const double slowest = std::max({head.forward.us, middle.forward.us, tail.forward.us}) +
                         std::max({head.backward.us, middle.backward.us, tail.backward.us});
  step.pipeline_us = (run.micro_batches - 1 + run.pipeline) * slowest;
  if (run.data > 1) {
    const Group group = data_group(run);
    const Cost reduced =
        terms.bucketed_collective("allreduce_large", head.parameters, group.nodes, group.gpus);
    head.update = update(terms, run, head, "firstStage_optimizer");
    middle.update = update(terms, run, middle, "middleStage_optimizer");
    tail.update = update(terms, run, tail, "lastStage_optimizer");
    step.update_us = reduced.us + std::max({head.update.us, middle.update.us, tail.update.us});
  }
  step.total_us = step.pipeline_us + step.update_us;
  step.stages = {head, middle, tail};
  step.lines = terms.lines();
  return step;
}

}  // namespace kjoule
