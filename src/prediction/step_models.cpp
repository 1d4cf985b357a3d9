#include "prediction/step_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/error.hpp"

namespace kjoule {

OperatorPrediction TrainedStepModels::operation(const std::string& name, Direction direction,
                                                const std::vector<double>& shape) {
  return predict_operator(operators_, gpu_, name, precision_, direction, shape);
}

OperatorPrediction TrainedStepModels::collective(const std::string& name, double elements, int nodes,
                                                 int gpus) {
  return collectives_.predict(collectives_.data().find(gpu_, name, precision_, nodes, gpus), Direction::step,
                              {elements, static_cast<double>(nodes), static_cast<double>(gpus)});
}

Cost StepTerms::add_line(const std::string& name, const std::vector<double>& input,
                         const OperatorPrediction& prediction) {
  lines_.push_back({name, input, prediction});
  return {prediction.us.value, prediction.joules ? std::optional(prediction.joules->value) : std::nullopt};
}

Cost StepTerms::operation(const StepOperator& called, Direction direction, double layers) {
  const std::vector<double> shape = shape_in(run_, called, layers);
  const std::string line = fmt::format("{} {}", called.name, direction_text(direction));
  const auto [known, is_new] = costs_.try_emplace(fmt::format("{} {}", line, fmt::join(shape, ",")));
  if (is_new) known->second = add_line(line, shape, models_.operation(called.name, direction, shape));
  return known->second;
}

Cost StepTerms::collective(const std::string& name, double elements, int nodes, int gpus) {
  if (elements <= 0) return {};
  const std::string line = fmt::format("{} {}x{}", name, nodes, gpus);
  const auto [known, is_new] = costs_.try_emplace(fmt::format("{} {}", line, elements));
  if (is_new) known->second = add_line(line, {elements}, models_.collective(name, elements, nodes, gpus));
  return known->second;
}

Cost StepTerms::bucketed_collective(const std::string& name, double elements, int nodes, int gpus) {
  const double full = std::floor(elements / run_.bucket);
  const Cost all = full > 0 ? full * collective(name, run_.bucket, nodes, gpus) : Cost{};
  return all + collective(name, elements - full * run_.bucket, nodes, gpus);
}

Cost StepTerms::sum(const std::vector<StepOperator>& called, Direction direction) {
  Cost sum;
  for (const StepOperator& one : called) sum += operation(one, direction);
  return sum;
}

}  // namespace kjoule
