#include "prediction/operator_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "prediction/boosting.hpp"
#include "prediction/interval_width.hpp"
#include "prediction/noise_floor.hpp"

namespace kjoule {

namespace {

constexpr int kFolds = 4;
/// From this number of rows on, only kBins thresholds are tried for each feature, which is 4 times as fast
/// and as exact. The rows then also show the trees on which products of features the time depends, so
/// quotients (correction_row()) are not needed.
constexpr size_t kManyRows = 800;
constexpr int kBins = 512;
constexpr double kHeldOut = 0.2;  ///< share of the rows, those with the most work, for the error outside
/// Predictions are at least this share of the smallest measured value, because a launch has a minimum cost
/// that the samples may not show.
constexpr double kOfTheLeast = 0.5;
/// Limits of numbers that are read from a file. The logarithm of a ratio of two costs is far below.
constexpr double kLargestSize = 1e300, kLargestLog = 700;

/// Returns the mean of the larger of two relative errors: of the prediction from the measured value, and of
/// the measured value from the prediction. Unlike mean_percent(), it is not smaller for predictions that are
/// too low, which matters if times of the same shape scatter by a factor of two or more.
double mean_deviation(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double residual : residuals) sum += std::expm1(std::abs(residual));
  return sum / static_cast<double>(residuals.size());
}

double median_size(std::vector<float> numbers) {
  constexpr double kLeast = 1e-4;  // for tables that the roofline fits exactly
  for (float& number : numbers) number = std::abs(number);
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return std::max<double>(*middle, kLeast);
}

std::vector<double> sizes_of(const std::vector<double>& shape, const OperatorWork& work) {
  std::vector<double> sizes = shape;
  sizes.push_back(work.amount());
  sizes.insert(sizes.end(), work.features.begin(), work.features.end());
  return sizes;
}

std::vector<std::string> names_of_sizes(const OperatorKind& kind) {
  std::vector<std::string> names = kind.columns;
  names.push_back("work");
  names.insert(names.end(), kind.features.begin(), kind.features.end());
  return names;
}

/// Returns a stored number. Throws Error if it is not finite, or not from `least` to `most`.
double number_in(const nlohmann::json& json, double least, double most) {
  const auto number = json.get<double>();
  if (!(number >= least && number <= most))
    throw Error(fmt::format("a stored number is {:g}, but must be from {:g} to {:g}", number, least, most));
  return number;
}

/// Returns a stored cost or size.
double amount_in(const nlohmann::json& json) {
  return number_in(json, 0, std::numeric_limits<double>::max());
}

std::vector<double> amounts_in(const nlohmann::json& json) {
  std::vector<double> amounts;
  for (const auto& one : json) amounts.push_back(amount_in(one));
  return amounts;
}

nlohmann::json json_of(const std::optional<Roofline::Spill>& spill) {
  if (!spill) return nullptr;
  return {{"elements", spill->elements}, {"each", spill->each}};
}

std::optional<Roofline::Spill> spill_of(const nlohmann::json& json) {
  if (json.is_null()) return {};
  return Roofline::Spill{amount_in(json.at("elements")), amount_in(json.at("each"))};
}

/// Returns the operator of a stored model. The features of an operator that is not known are formulas, or the
/// names of its columns. Throws Error if they are neither.
OperatorKind kind_of_model(const nlohmann::json& json) {
  OperatorKind plain = make_operator_kind(json.at("operator"), json.at("columns"));
  const auto features = json.at("features").get<std::vector<std::string>>();
  return features == plain.features ? plain : make_operator_kind(plain.name, plain.columns, features);
}

}  // namespace

struct OperatorModel::Table {
  bool has_quotients() const { return works.size() < kManyRows; }

  std::vector<OperatorWork> works;
  FeatureRows rows;
  std::vector<double> costs;
};

struct OperatorModel::Method {
  std::string name;
  std::vector<BoostingOptions> corrections;
};

const std::vector<OperatorModel::Method>& OperatorModel::methods() {
  static const std::vector<Method> all = [] {
    const BoostingOptions squared;
    BoostingOptions absolute;
    absolute.huber_slope = 0.1;  // in units of the roofline's median residual, so that it suits every table
    absolute.learning_rate = 0.1;
    absolute.max_depth = 5;
    absolute.min_child_weight = 0.1;
    return std::vector<Method>{{"roofline", {}}, {"roofline and boosting", {absolute, squared}}};
  }();
  return all;
}

std::vector<float> correction_row(const OperatorWork& work, bool has_quotients) {
  std::vector<float> row;
  for (const double feature : work.features) row.push_back(static_cast<float>(std::log2(feature)));
  row.push_back(static_cast<float>(std::log2(work.amount())));
  if (has_quotients)
    for (const double elements : work.streams) {
      const double log_elements = std::log2(std::max(elements, 1.0));
      row.push_back(static_cast<float>(log_elements));
      for (const double feature : work.features)
        row.push_back(static_cast<float>(log_elements - std::log2(feature)));
    }
  for (const double by : {8.0, 128.0})
    for (const double feature : work.features) row.push_back(static_cast<float>(std::fmod(feature, by)));
  return row;
}

double OperatorModel::FittedModel::log_cost(const OperatorWork& work, Region region) const {
  const std::vector<float> row = correction_row(work, has_quotients);
  const size_t taken =
      region == Region::inside ? std::min<size_t>(1, corrections.size()) : corrections.size();
  double correction = 0;
  for (size_t c = 0; c < taken; ++c)
    correction += corrections[c].predict(row.data()) / static_cast<double>(taken);
  return std::log(roofline.predict(work)) + correction;
}

OperatorModel::FittedModel OperatorModel::fit(const Table& table, const std::vector<size_t>& rows,
                                              const Method& method, Region region, unsigned seed) {
  std::vector<OperatorWork> works;
  std::vector<double> costs;
  for (const size_t r : rows) {
    works.push_back(table.works[r]);
    costs.push_back(table.costs[r]);
  }
  FittedModel fitted{Roofline::fit(works, costs), {}, table.has_quotients()};
  std::vector<float> left;
  for (size_t i = 0; i < rows.size(); ++i)
    left.push_back(static_cast<float>(std::log(costs[i] / fitted.roofline.predict(works[i]))));
  const double left_of_median = median_size(left);
  const FeatureRows selected = table.rows.select(rows);
  std::vector<std::future<Trees>> trained;
  for (BoostingOptions options : method.corrections) {
    options.seed = seed++;
    options.huber_slope *= left_of_median;
    if (rows.size() >= kManyRows) options.bins = kBins;
    trained.push_back(
        std::async(std::launch::async, boosted_trees, std::cref(selected), std::cref(left), options));
    if (region == Region::inside) break;
  }
  for (std::future<Trees>& one : trained) fitted.corrections.push_back(one.get());
  return fitted;
}

std::vector<double> OperatorModel::residuals(const FittedModel& fitted, const Table& table,
                                             const std::vector<size_t>& rows, Region region) {
  std::vector<double> all;
  for (const size_t r : rows)
    all.push_back(std::log(table.costs[r]) - fitted.log_cost(table.works[r], region));
  return all;
}

OperatorModel::HeldOut OperatorModel::hold_out(const Table& table, const std::vector<size_t>& mixed,
                                               const Method& method, unsigned seed) {
  const auto of_fold = [&](int fold) {
    std::vector<size_t> train, test;
    for (size_t i = 0; i < mixed.size(); ++i)
      (static_cast<int>(i % kFolds) == fold ? test : train).push_back(mixed[i]);
    return residuals(fit(table, train, method, Region::inside, seed), table, test, Region::inside);
  };
  std::vector<size_t> by_work(mixed.size());
  std::iota(by_work.begin(), by_work.end(), size_t{0});
  std::stable_sort(by_work.begin(), by_work.end(),
                   [&](size_t a, size_t b) { return table.works[a].amount() < table.works[b].amount(); });
  const auto of_largest = [&] {
    const auto kept =
        by_work.begin() +
        static_cast<std::ptrdiff_t>(std::llround((1 - kHeldOut) * static_cast<double>(by_work.size())));
    return residuals(fit(table, {by_work.begin(), kept}, method, Region::outside, seed), table,
                     {kept, by_work.end()}, Region::outside);
  };
  std::vector<std::future<std::vector<double>>> folds;  // the fits are independent, so they run in parallel
  for (int fold = 0; fold < kFolds; ++fold) folds.push_back(std::async(std::launch::async, of_fold, fold));
  HeldOut held_out{{}, of_largest()};
  for (auto& fold : folds) {
    const std::vector<double> some = fold.get();
    held_out.inside.insert(held_out.inside.end(), some.begin(), some.end());
  }
  return held_out;
}

OperatorModel::Table OperatorModel::table_of(const OperatorKind& kind,
                                             const std::vector<std::vector<double>>& shapes,
                                             const std::vector<double>& costs) {
  if (shapes.size() < kFewestRows)
    throw Error(fmt::format("the table has {} rows, which are too few for training", shapes.size()),
                fmt::format("sample at least {} shapes", kFewestRows));
  Table table{{}, {}, costs};
  for (const auto& shape : shapes) {
    check_features(kind, shape);
    table.works.push_back(kind.work(shape));
  }
  for (const OperatorWork& work : table.works) {
    const std::vector<float> row = correction_row(work, table.has_quotients());
    table.rows.width = row.size();
    table.rows.append(row);
  }
  return table;
}

std::vector<double> OperatorModel::disagreements(const OperatorKind& kind,
                                                 const std::vector<std::vector<double>>& shapes,
                                                 const std::vector<double>& costs,
                                                 const std::vector<std::vector<double>>& candidates,
                                                 unsigned seed) {
  const Table table = table_of(kind, shapes, costs);
  std::vector<size_t> mixed(shapes.size());
  std::iota(mixed.begin(), mixed.end(), size_t{0});
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(seed));
  std::vector<FittedModel> fitted;
  for (size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<size_t> rows;
    for (size_t i = 0; i < mixed.size(); ++i)
      if (i % kFolds != fold) rows.push_back(mixed[i]);
    fitted.push_back(fit(table, rows, methods().back(), Region::inside, seed));
  }
  std::vector<double> deviations;
  for (const auto& shape : candidates) {
    const OperatorWork work = kind.work(shape);
    std::vector<double> logs;
    for (const FittedModel& model : fitted) logs.push_back(model.log_cost(work, Region::inside));
    deviations.push_back(standard_deviation(logs));
  }
  return deviations;
}

OperatorModel OperatorModel::train(const OperatorKind& kind, const std::vector<std::vector<double>>& shapes,
                                   const std::vector<double>& costs, unsigned seed) {
  const Table table = table_of(kind, shapes, costs);
  std::vector<size_t> all(shapes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::vector<size_t> mixed = all;
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(seed));

  const std::optional<NoiseFloor> noise = find_noise_floor(table.works, costs);
  const auto noise_percent = noise ? std::optional(noise->mean_percent) : std::nullopt;
  std::optional<OperatorModel> best;
  double least_score = 0;
  for (const Method& method : methods()) {
    const auto [inside, outside] = hold_out(table, mixed, method, seed);
    const HeldOutError error{mean_percent(inside), mean_percent(outside), noise_percent};
    const double score = mean_deviation(inside) * mean_deviation(outside);
    if (best && least_score <= score) continue;
    least_score = score;
    best = OperatorModel(kind, FittedModel{Roofline({0, 0}), {}, false});
    best->method_ = method.name;
    best->error_ = error;
    best->inside_ = half_width(inside);
    best->outside_ = std::max({best->inside_, half_width(outside), least_half_width_outside()});
  }
  const auto chosen = std::find_if(methods().begin(), methods().end(),
                                   [&](const Method& method) { return method.name == best->method_; });
  best->fitted_ = fit(table, all, *chosen, Region::outside, seed);
  best->rows_ = shapes.size();
  std::vector<std::vector<double>> sizes;
  for (size_t r = 0; r < shapes.size(); ++r) sizes.push_back(sizes_of(shapes[r], table.works[r]));
  for (size_t c = 0; c < sizes.front().size(); ++c) {
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end(),
                                                   [c](const auto& a, const auto& b) { return a[c] < b[c]; });
    best->ranges_.push_back({(*least)[c], (*most)[c]});
  }
  best->least_ = *std::min_element(costs.begin(), costs.end());
  return std::move(*best);
}

std::vector<std::string> OperatorModel::outside(const std::vector<double>& sizes) const {
  std::vector<std::string> texts, names;
  for (size_t c = 0; c < ranges_.size(); ++c) {
    if (sizes[c] >= ranges_[c].least && sizes[c] <= ranges_[c].most) continue;
    if (names.empty()) names = names_of_sizes(kind_);
    const auto name = names.begin() + static_cast<std::ptrdiff_t>(c);
    if (std::find(names.begin(), name, *name) != name) continue;  // the feature is also a column
    texts.push_back(
        fmt::format("{} {:g} (sampled: {:g} to {:g})", *name, sizes[c], ranges_[c].least, ranges_[c].most));
  }
  return texts;
}

Prediction OperatorModel::predict(const std::vector<double>& shape) const {
  const OperatorWork work = kind_.work(shape);
  return predict(work, outside(sizes_of(shape, work)));
}

Prediction OperatorModel::predict(const OperatorWork& work) const {
  const std::vector<double> sizes = sizes_of({}, work);
  std::vector<std::string> texts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Range& range = ranges_[kind_.columns.size() + i];
    if (sizes[i] >= range.least && sizes[i] <= range.most) continue;
    texts.push_back(fmt::format("{} {:g} (sampled: {:g} to {:g})", i ? kind_.features[i - 1] : "work",
                                sizes[i], range.least, range.most));
  }
  return predict(work, std::move(texts));
}

bool OperatorModel::is_below_samples(const OperatorWork& work) const {
  const std::vector<double> sizes = sizes_of({}, work);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < ranges_[kind_.columns.size() + i].least) return true;
  return false;
}

Prediction OperatorModel::predict(const OperatorWork& work, std::vector<std::string> outside) const {
  Prediction prediction;
  prediction.outside = std::move(outside);
  const Region region = prediction.outside.empty() ? Region::inside : Region::outside;
  const double log_cost = std::max(fitted_.log_cost(work, region), std::log(kOfTheLeast * least_));
  const double half_width_log = region == Region::inside ? inside_ : outside_;
  prediction.value = std::exp(log_cost);
  prediction.low = std::exp(log_cost - half_width_log);
  prediction.high = std::exp(log_cost + half_width_log);
  prediction.features = work.features;
  return prediction;
}

OperatorModel::Parts OperatorModel::parts(const std::vector<double>& shape) const {
  const OperatorWork work = kind_.work(shape);
  Parts parts;
  parts.outside = outside(sizes_of(shape, work));
  const Region region = parts.outside.empty() ? Region::inside : Region::outside;
  parts.roofline = fitted_.roofline.parts(work);
  parts.correction_log = fitted_.log_cost(work, region) - std::log(fitted_.roofline.predict(work));
  parts.half_width_log = region == Region::inside ? inside_ : outside_;
  return parts;
}

nlohmann::json OperatorModel::json() const {
  nlohmann::json ranges = nlohmann::json::array();
  for (const Range& range : ranges_) ranges.push_back({range.least, range.most});
  nlohmann::json corrections = nlohmann::json::array();
  for (const Trees& trees : fitted_.corrections) corrections.push_back(trees.json());
  return {{"operator", kind_.name},
          {"columns", kind_.columns},
          {"features", kind_.features},
          {"ranges", ranges},
          {"rows", rows_},
          {"method", method_},
          {"error_percent",
           {{"cross_validation", error_.cross_validated_percent},
            {"largest_fifth", error_.largest_percent},
            {"noise", error_.noise_percent ? nlohmann::json(*error_.noise_percent) : nlohmann::json()}}},
          {"least_measured", least_},
          {"interval_log", {{"inside", inside_}, {"outside", outside_}}},
          {"roofline", fitted_.roofline.coefficients()},
          {"spill", json_of(fitted_.roofline.spill())},
          {"quotients", fitted_.has_quotients},
          {"corrections", corrections}};
}

OperatorModel OperatorModel::from_json(const nlohmann::json& json) try {
  const OperatorKind kind = kind_of_model(json);
  const OperatorWork probe = kind.work(std::vector<double>(kind.columns.size(), 1));
  OperatorModel model(kind, FittedModel{Roofline(amounts_in(json.at("roofline")), spill_of(json.at("spill"))),
                                        {},
                                        json.at("quotients").get<bool>()});
  const size_t width = correction_row(probe, model.fitted_.has_quotients).size();
  for (const auto& trees : json.at("corrections"))
    model.fitted_.corrections.push_back(Trees::from_json(trees, width));
  if (model.fitted_.roofline.coefficients().size() != probe.streams.size() + 2)
    throw Error("the stored roofline belongs to another kind of operator");
  for (const auto& range : json.at("ranges"))
    model.ranges_.push_back({amount_in(range.at(0)), number_in(range.at(1), range.at(0), kLargestSize)});
  if (model.ranges_.size() != kind.columns.size() + 1 + kind.features.size())
    throw Error("the stored ranges belong to another kind of operator");
  if (!json.at("rows").is_number_unsigned()) throw Error("the stored number of rows is not a number");
  model.rows_ = json.at("rows");
  model.method_ = json.at("method");
  const nlohmann::json& error = json.at("error_percent");
  model.error_ = {amount_in(error.at("cross_validation")), amount_in(error.at("largest_fifth"))};
  if (!error.at("noise").is_null()) model.error_.noise_percent = amount_in(error.at("noise"));
  model.least_ = amount_in(json.at("least_measured"));
  if (!(model.least_ > 0)) throw Error("the stored smallest measured value is not above 0");
  model.inside_ = number_in(json.at("interval_log").at("inside"), 0, kLargestLog);
  model.outside_ = number_in(json.at("interval_log").at("outside"), model.inside_, kLargestLog);
  return model;
} catch (const nlohmann::json::exception&) {
  throw Error("the file is not a trained model: a field is missing, or of another type");
}

}  // namespace kjoule
