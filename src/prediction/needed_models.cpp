#include "prediction/needed_models.hpp"

#include <algorithm>

#include "prediction/step.hpp"

namespace kjoule {

namespace {

/// Notes which models a step uses. All of its predictions are 1 us and 1 J.
class NotedModels final : public StepModels {
 public:
  NotedModels(const TrainingConfiguration& run, TrainedModels& operators, TrainedModels& collectives)
      : run_(run), operators_(operators), collectives_(collectives) {}

  OperatorPrediction operation(const std::string& name, Direction direction,
                               const std::vector<double>& shape) override {
    return note(
        {&operators_, find_table(operators_.data(), run_.gpu, name, run_.precision, shape), direction});
  }
  OperatorPrediction collective(const std::string& name, double, int nodes, int gpus) override {
    return note({&collectives_, collectives_.data().find(run_.gpu, name, run_.precision, nodes, gpus),
                 Direction::step});
  }
  std::vector<NeededModel> take() { return std::move(needed_); }

 private:
  OperatorPrediction note(NeededModel one) {
    const auto same = [&one](const NeededModel& other) {
      return other.source == one.source && other.table.stem() == one.table.stem() &&
             other.direction == one.direction;
    };
    if (std::none_of(needed_.begin(), needed_.end(), same)) needed_.push_back(std::move(one));
    const Prediction unit{1, 1, 1, {}, {}};
    return {unit, unit};
  }

  const TrainingConfiguration& run_;
  TrainedModels& operators_;
  TrainedModels& collectives_;
  std::vector<NeededModel> needed_;
};

}  // namespace

std::vector<NeededModel> needed_models(const TrainingConfiguration& run, TrainedModels& operators,
                                       TrainedModels& collectives) {
  NotedModels models(run, operators, collectives);
  predict_corrected_step(run, models, Schedule::gpipe);  // both schedules use the same models
  return models.take();
}

}  // namespace kjoule
