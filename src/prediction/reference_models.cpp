#include "prediction/reference_models.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "prediction/boosting.hpp"
#include "prediction/forest.hpp"

namespace kjoule {

namespace {

constexpr double kStart = 0.5;  ///< the first prediction of XGBoost 1, before any tree

/// Returns the value of `name` in a text such as {'max_depth': None, 'gamma': 0.1}; no value for None.
std::optional<double> value_of(const std::string& text, const std::string& name) {
  const size_t at = text.find("'" + name + "':");
  if (at == std::string::npos)
    throw Error(fmt::format("the hyper-parameters in the table of models lack {}: {}", name, text),
                "add it to the row of the table, or omit --reference, so that kjoule predicts with the "
                "models that it trains itself");
  size_t begin = text.find(':', at) + 1;
  while (begin < text.size() && text[begin] == ' ') ++begin;
  if (text.compare(begin, 4, "None") == 0) return {};
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (failed != std::errc() || end == text.data() + begin || !(value >= 0 && value <= 1e5))
    throw Error(fmt::format("{} is not a number from 0 to 100000 in the hyper-parameters {}", name, text),
                "correct the row of the table, or omit --reference, so that kjoule predicts with the models "
                "that it trains itself");
  return value;
}

double number(const std::string& text, const std::string& name) {
  const auto value = value_of(text, name);
  if (!value)
    throw Error(fmt::format("{} is None in the hyper-parameters {}, but needs a number", name, text),
                "correct the row of the table, or omit --reference, so that kjoule predicts with the models "
                "that it trains itself");
  return *value;
}

int whole(const std::string& text, const std::string& name) {
  return static_cast<int>(number(text, name));
}

Trees train_forest(const std::string& text, const FeatureRows& rows, const std::vector<double>& us,
                   unsigned seed) {
  ForestOptions options;
  options.n_estimators = whole(text, "n_estimators");
  if (const auto depth = value_of(text, "max_depth")) options.max_depth = static_cast<int>(*depth);
  options.min_samples_leaf = whole(text, "min_samples_leaf");
  options.min_samples_split = whole(text, "min_samples_split");
  options.seed = seed;
  if (options.n_estimators < 1)
    throw Error("n_estimators is less than 1 in the hyper-parameters of a random forest",
                "give at least 1 to n_estimators");
  return random_forest(rows, us, options);
}

Trees train_boosting(const std::string& text, const FeatureRows& rows, const std::vector<double>& us,
                     unsigned seed) {
  BoostingOptions options;
  options.rounds = whole(text, "n_estimators");
  options.learning_rate = number(text, "learning_rate");
  options.max_depth = whole(text, "max_depth");
  options.min_child_weight = number(text, "min_child_weight");
  options.gamma = number(text, "gamma");
  options.subsample = number(text, "subsample");
  options.colsample_bytree = number(text, "colsample_bytree");
  options.start = kStart;
  options.seed = seed;
  return boosted_trees(rows, {us.begin(), us.end()}, options);
}

std::vector<float> row_of(const std::vector<double>& features) {
  return {features.begin(), features.end()};
}

OperatorPrediction exact_prediction(double us, const std::vector<double>& features) {
  return {{us, us, us, features, {}}, {}};
}

/// Returns the name that estimate-train-time uses for a direction.
const char* propagation(Direction direction) {
  return direction == Direction::forward ? "fwd" : direction == Direction::backward ? "bwd" : "dur";
}

}  // namespace

ReferenceModels::ReferenceModels(SampledData operators, SampledData collectives, std::string gpu,
                                 std::string precision, unsigned seed)
    : operators_(std::move(operators)),
      collectives_(std::move(collectives)),
      gpu_(std::move(gpu)),
      precision_(std::move(precision)),
      seed_(seed) {}

ReferenceModels::Recipe ReferenceModels::find_recipe(const SampledData& data, const std::string& row) const {
  if (!data.has(gpu_))
    throw Error(fmt::format("{} has no {}.csv, the list of models of the tool estimate-train-time",
                            data.name(), gpu_),
                "omit --reference, so that kjoule predicts with the models that it trains itself");
  const std::string csv = data.text(gpu_);
  CsvRows rows(csv, gpu_ + ".csv");
  std::vector<std::string> cells;
  while (rows.next(cells)) {
    std::string key;
    for (size_t c = 1; c + 3 < cells.size(); ++c) key += (c > 1 ? "," : "") + cells[c];
    if (cells.size() >= 7 && cells[0] == gpu_ && key == row)
      return {cells[cells.size() - 3], cells[cells.size() - 2]};
  }
  throw Error(fmt::format("{}/{}.csv, the list of models of the tool estimate-train-time, has no row for {}",
                          data.name(), gpu_, row),
              "omit --reference, so that kjoule predicts with the models that it trains itself");
}

const Trees& ReferenceModels::train_trees(
    const SampledData& data, const TableName& table, const std::string& row,
    const std::function<std::vector<double>(const std::vector<double>&)>& features, Direction direction) {
  const auto known = models_.find(row);
  if (known != models_.end()) return known->second;
  const Recipe recipe = find_recipe(data, row);
  const Samples samples = data.samples(table);
  const auto us = samples.us.find(direction);
  if (us == samples.us.end())
    throw Error(fmt::format("the samples {}.csv have no {} times", table.stem(), direction_text(direction)),
                "omit --reference, so that kjoule predicts with the models that it trains itself");
  FeatureRows rows;
  for (const auto& shape : samples.shapes) {
    const std::vector<float> one = row_of(features(shape));
    rows.width = one.size();
    rows.append(one);
  }
  on_training(row);
  if (recipe.model == "rforest")
    return models_.emplace(row, train_forest(recipe.hyper_parameters, rows, us->second, seed_)).first->second;
  if (recipe.model == "xgboost")
    return models_.emplace(row, train_boosting(recipe.hyper_parameters, rows, us->second, seed_))
        .first->second;
  throw Error(fmt::format("the row {} of {}/{}.csv names the model {}, but --reference has only rforest and "
                          "xgboost",
                          row, data.name(), gpu_, recipe.model),
              "write rforest or xgboost into this row, or omit --reference, so that kjoule predicts with the "
              "models that it trains itself");
}

OperatorPrediction ReferenceModels::operation(const std::string& name, Direction direction,
                                              const std::vector<double>& shape) {
  const TableName table = operators_.find(gpu_, name, precision_);
  const OperatorKind kind = operators_.kind_of(table);
  check_shape(kind, shape);
  const auto features = [&kind](const std::vector<double>& any) { return kind.work(any).features; };
  const Trees& trees =
      train_trees(operators_, table, fmt::format("{},{},{}", name, precision_, propagation(direction)),
                  features, direction);
  const std::vector<double> given = features(shape);
  return exact_prediction(trees.predict(row_of(given).data()), given);
}

OperatorPrediction ReferenceModels::collective(const std::string& name, double elements, int nodes,
                                               int gpus) {
  const TableName table = collectives_.find(gpu_, name, precision_, nodes, gpus);
  const bool sampled = table.topology.has_value();
  const auto features = [sampled](const std::vector<double>& shape) {
    return sampled ? std::vector<double>{shape.front()} : shape;
  };
  const std::string row =
      fmt::format("{},{},{},{}", name, precision_, sampled ? nodes : 0, sampled ? gpus : 0);
  const Trees& trees = train_trees(collectives_, table, row, features, Direction::step);
  const std::vector<double> given =
      features({elements, static_cast<double>(nodes), static_cast<double>(gpus)});
  return exact_prediction(trees.predict(row_of(given).data()), given);
}

}  // namespace kjoule
