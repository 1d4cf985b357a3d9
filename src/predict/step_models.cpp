#include "predict/step_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr const char* kPrecision = "fp16";  ///< training configurations know no other

}  // namespace

Prediction TrainedStepModels::operation(const std::string& name, Direction direction,
                                        const std::vector<double>& shape) {
  return predict_operator(operators_, gpu_, name, kPrecision, direction, shape);
}

Prediction TrainedStepModels::collective(const std::string& name, double elements, int nodes, int gpus) {
  const TableName table = collectives_.data().find(gpu_, name, kPrecision, nodes, gpus);
  Prediction prediction = collectives_.get(table, Direction::step)
                              .predict({elements, static_cast<double>(nodes), static_cast<double>(gpus)});
  if (!table.topology) prediction.outside.push_back(fmt::format("{}x{} GPUs (not sampled)", nodes, gpus));
  return prediction;
}

double StepTerms::once(const std::string& name, const std::vector<double>& input,
                       const Prediction& prediction) {
  lines_.push_back({name, input, prediction});
  return prediction.us;
}

double StepTerms::operation_us(const std::string& name, Direction direction, double layers) {
  const OperatorKind* kind = known_operator(name);
  if (kind == nullptr)
    throw Error(name + ": no such operator", "kjoule predict show-example shows those of a step");
  const std::vector<double> shape = shape_in(run_, kind->columns, layers);
  const std::string line = fmt::format("{} {}", name, direction_name(direction));
  const auto [known, is_new] = known_.try_emplace(fmt::format("{} {}", line, fmt::join(shape, ",")), 0);
  if (is_new) known->second = once(line, shape, models_.operation(name, direction, shape));
  return known->second;
}

double StepTerms::collective_us(const std::string& name, double elements, int nodes, int gpus) {
  if (elements <= 0) return 0;
  const std::string line = fmt::format("{} {}x{}", name, nodes, gpus);
  const auto [known, is_new] = known_.try_emplace(fmt::format("{} {}", line, elements), 0);
  if (is_new) known->second = once(line, {elements}, models_.collective(name, elements, nodes, gpus));
  return known->second;
}

double StepTerms::bucketed_us(const std::string& name, double elements, int nodes, int gpus) {
  const double full = std::floor(elements / run_.bucket);
  const double all = full > 0 ? full * collective_us(name, run_.bucket, nodes, gpus) : 0;
  return all + collective_us(name, elements - full * run_.bucket, nodes, gpus);
}

double StepTerms::sum_us(const std::vector<std::string>& names, Direction direction) {
  double sum = 0;
  for (const std::string& name : names) sum += operation_us(name, direction);
  return sum;
}

}  // namespace kjoule
