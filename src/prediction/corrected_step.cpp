#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "prediction/power_limit.hpp"
#include "prediction/step.hpp"

namespace kjoule {

namespace {

/// Collectives of at least this many elements were sampled in separate tables.
constexpr double kLarge = 134217728;

const char* all_reduce(double elements) {
  return elements < kLarge ? "allreduce" : "allreduce_large";
}

/// Computes the costs of the pipeline stages. The first and the last stage (head and tail) have additional
/// operators.
class Stages {
 public:
  Stages(const TrainingConfiguration& run, StepModels& models) : run_(run), terms_(run, models) {}

  StepPrediction predict(Schedule schedule) {
    const std::vector<int> layers = divide_layers(run_.layers, run_.pipeline);
    StepPrediction step;
    std::map<std::tuple<int, bool, bool>, Stage> known;  // most stages in the middle are equal
    for (size_t s = 0; s < layers.size(); ++s) {
      const bool head = s == 0, tail = s + 1 == layers.size();
      const auto [at, is_new] = known.try_emplace({layers[s], head, tail});
      if (is_new) at->second = apply_power_limit(stage(layers[s], head, tail));
      step.stages.push_back(at->second);
    }
    for (const Stage& stage : step.stages) step.update_us = std::max(step.update_us, stage.update.us);
    step.pipeline_us = pipeline_duration_us(step.stages, run_.micro_batches, schedule);
    step.total_us = step.pipeline_us + step.update_us;
    step.joules = joules(step.stages);
    step.lines = terms_.lines();
    return step;
  }

 private:
  /// Returns the energy of all ranks; each stage has tensor x data ranks. The cost of a stage contains only
  /// the energy of the transfers that it sends, so the same energy is added for the stage that receives them.
  std::optional<double> joules(const std::vector<Stage>& stages) {
    Cost all;
    for (const Stage& stage : stages)
      all += run_.micro_batches * (stage.forward + stage.backward) + stage.update;
    if (stages.size() > 1)
      all += 2.0 * run_.micro_batches * static_cast<double>(stages.size() - 1) * transfer();
    return (static_cast<double>(run_.tensor) * run_.data * all).joules;
  }

  /// Returns the stage with its slowdown by the power limit. The clock follows the mean power over some
  /// tenths of a second, so the mean power of all work of a step determines the slowdown.
  Stage apply_power_limit(Stage stage) const {
    if (!run_.power_limit_w) return stage;
    const Cost all = run_.micro_batches * (stage.forward + stage.backward) + stage.update;
    if (!all.joules) throw no_energy();
    const double watts = *all.joules / (all.us * 1e-6), excess = watts / *run_.power_limit_w;
    if (excess <= 1) return stage;
    const double factor = std::pow(excess, kSlowdownExponent);
    stage.slowdown = PowerLimitSlowdown{watts, factor};
    for (Cost* cost : {&stage.forward, &stage.backward, &stage.update})
      *cost = {factor * cost->us, factor / excess * *cost->joules};
    return stage;
  }

  Error no_energy() const {
    const auto lacks = [](const StepLine& line) { return !line.prediction.joules; };
    return Error("power_limit is set, but the tables contain no energies of the operator " +
                     std::ranges::find_if(terms_.lines(), lacks)->name,
                 "use tables with energies, or remove power_limit");
  }

  double activations() const { return run_.batch * run_.tokens * run_.width; }

  Cost sync() {
    if (run_.tensor == 1) return {};
    const int gpus = std::min(run_.tensor, run_.gpus_per_node);
    return terms_.collective(all_reduce(activations()), activations(), nodes_of(run_.tensor, gpus), gpus);
  }

  /// Returns the cost of a transfer to the next stage. The receiving rank has a number that is mp * dp
  /// higher; it is on another node if not all ranks fit on one node.
  Cost transfer() {
    const bool one_node = run_.ranks() <= run_.gpus_per_node;
    return terms_.collective("p2p", std::floor(activations() / run_.tensor), one_node ? 1 : 2,
                             one_node ? 2 : 1);
  }

  Stage stage(int layers, bool head, bool tail) {
    Stage stage;
    stage.layers = layers;
    const Cost sync = this->sync();
    const Cost forward = terms_.sum(run_.layer_operators, Direction::forward) + run_.forward_syncs * sync;
    const Cost backward = terms_.sum(run_.layer_operators, Direction::backward) + run_.backward_syncs * sync +
                          (run_.recomputes ? forward : Cost{});
    stage.forward = layers * forward;
    stage.backward = layers * backward;
    stage.parameters = layers * parameters(run_.layer_operators);
    if (head) {
      const std::vector<StepOperator> begin{{"embedding"}};
      stage.forward += terms_.sum(begin, Direction::forward) + sync;
      stage.backward += terms_.sum(begin, Direction::backward);
      stage.parameters += parameters(begin);
    } else {
      stage.backward += transfer();
    }
    if (tail) {
      const std::vector<StepOperator> end{{run_.norm}, {"linear_final"}, {"parallel_cross_entropy_128"}};
      stage.forward += terms_.sum(end, Direction::forward);
      stage.backward += terms_.sum(end, Direction::backward);
      stage.parameters += parameters(end);
    } else {
      stage.forward += transfer();
    }
    stage.update = update(stage, head, tail);
    return stage;
  }

  /// Returns the cost of an update: reduction of the gradients among replicas, one replica's share of the
  /// optimizer, and gathering of the parameters.
  Cost update(const Stage& stage, bool head, bool tail) {
    const Cost optimizer = 1.0 / run_.data * this->optimizer(stage, head, tail);
    if (run_.data == 1) return optimizer;
    const int gpus = std::min(run_.data, std::max(1, run_.gpus_per_node / run_.tensor));
    const int nodes = nodes_of(run_.data, gpus);
    const double largest = std::min(stage.parameters, run_.bucket);
    return terms_.bucketed_collective(all_reduce(largest), stage.parameters, nodes, gpus) +
           terms_.bucketed_collective("allgather_large", std::floor(stage.parameters / run_.data), nodes,
                                      gpus) +
           optimizer;
  }

  /// Returns the sampled optimizer cost of the most similar stage, scaled by the number of parameters.
  Cost optimizer(const Stage& stage, bool head, bool tail) {
    const std::string name = head   ? "firstStage_optimizer"
                             : tail ? "lastStage_optimizer"
                                    : "middleStage_optimizer";
    const std::vector<double> shape{static_cast<double>(run_.tensor), run_.width,
                                    static_cast<double>(stage.layers)};
    return stage.parameters / find_operator_kind(name)->work(shape).parameters *
           terms_.operation({name}, Direction::step, stage.layers);
  }

  double parameters(const std::vector<StepOperator>& called) const {
    double all = 0;
    for (const StepOperator& one : called)
      all += run_.kind_of(one.name).work(shape_in(run_, one, 0)).parameters;
    return all;
  }

  static int nodes_of(int ranks, int gpus) { return (ranks + gpus - 1) / gpus; }

  const TrainingConfiguration& run_;
  StepTerms terms_;
};

}  // namespace

void check_fewest_layers(int fewest, int layers, int stages) {
  if (fewest < 1)
    throw Error(fmt::format("{} layers are too few for {} pipeline stages", layers, stages),
                "give a smaller pp in training_config");
}

std::vector<int> divide_layers(int layers, int stages) {
  const int units = layers + 5;
  std::vector<int> shares(static_cast<size_t>(stages), units / stages);
  for (int s = 0; s < units % stages; ++s) ++shares[static_cast<size_t>(s)];
  shares.front() -= 2;
  shares.back() -= 3;
  check_fewest_layers(*std::min_element(shares.begin(), shares.end()), layers, stages);
  return shares;
}

StepPrediction predict_corrected_step(const TrainingConfiguration& run, StepModels& models,
                                      Schedule schedule) {
  return Stages(run, models).predict(schedule);
}

}  // namespace kjoule
