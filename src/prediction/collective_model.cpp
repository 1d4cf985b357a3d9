#include "prediction/collective_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "prediction/interval_width.hpp"

namespace kjoule {

namespace {

/// Disagreement of rows whose neighbours agree exactly: measurements scatter by some percent.
constexpr double kLeastDisagreement = 0.03;
constexpr double kMostShare = 1e50;    ///< of the last cost; more than any measured cost is
constexpr double kLargestShare = 0.2;  ///< of the sizes, for the error outside

/// Returns the logarithms of the ratios of measured to predicted costs of the rows from `begin` on.
std::vector<double> residuals_from(const CostsBySize& rows, size_t begin, const CostsBySize& model) {
  std::vector<double> all;
  for (size_t r = begin; r < rows.count(); ++r)
    all.push_back(std::log(rows.cost_of(r) / model.cost(rows.size_of(r))));
  return all;
}

}  // namespace

CostsBySize::CostsBySize(const std::vector<double>& sizes, const std::vector<double>& costs) {
  std::map<double, std::vector<double>> by_size;
  for (size_t r = 0; r < sizes.size(); ++r) by_size[sizes[r]].push_back(costs[r]);
  for (const auto& [size, same] : by_size) rows_.push_back({size, median(same)});
}

size_t CostsBySize::line_of(double size) const {
  const auto next = std::upper_bound(rows_.begin(), rows_.end(), size,
                                     [](double one, const Row& row) { return one < row.size; });
  const auto before = static_cast<size_t>(std::max<std::ptrdiff_t>(0, next - rows_.begin() - 1));
  return std::min(before, rows_.size() - 2);
}

double CostsBySize::slope_from(size_t row) const {
  return std::max(0.0, (rows_[row + 1].cost - rows_[row].cost) / (rows_[row + 1].size - rows_[row].size));
}

double CostsBySize::cost(double size) const {
  if (size <= rows_.front().size) return rows_.front().cost;
  const size_t line = line_of(size);
  const Row& from = rows_[line];
  const Row& to = rows_[line + 1];
  if (size > to.size) return beyond(size);
  return from.cost + (to.cost - from.cost) * (size - from.size) / (to.size - from.size);
}

double CostsBySize::beyond(double size) const {
  // Least squares of relative errors. A single line between two of many sizes would follow their scatter.
  // Sizes and costs are divided by those of the last row, so that no square of a cost overflows.
  const Row& last = rows_.back();
  double weights = 0, sizes = 0, squares = 0, costs = 0, products = 0;
  for (size_t r = 0; r < rows_.size(); ++r) {
    const double x = rows_[r].size / last.size,
                 y = std::clamp(rows_[r].cost / last.cost, 1 / kMostShare, kMostShare);
    if (x < 0.5 && r + 2 < rows_.size()) continue;  // the last two sizes are always used
    const double weight = 1 / (y * y);
    weights += weight;
    sizes += weight * x;
    squares += weight * x * x;
    costs += weight * y;
    products += weight * x * y;
  }
  const double slope =
      std::max(0.0, (weights * products - sizes * costs) / (weights * squares - sizes * sizes));
  return last.cost * ((costs - slope * sizes) / weights + slope * size / last.size);
}

double CostsBySize::disagreement(double size) const {
  const size_t line = line_of(size);
  const auto [least, most] = std::minmax(rows_[line].cost, rows_[line + 1].cost);
  double largest = 0;
  const auto compare = [&, low = least, high = most](double other) {
    largest = std::max(largest, std::abs(std::log(std::clamp(other, low, high) / cost(size))));
  };
  if (line > 0) compare(rows_[line].cost + slope_from(line - 1) * (size - rows_[line].size));
  if (line + 2 < rows_.size())
    compare(rows_[line + 1].cost - slope_from(line + 1) * (rows_[line + 1].size - size));
  return largest;
}

CostsBySize CostsBySize::without(size_t row) const {
  std::vector<Row> rows = rows_;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(row));
  return CostsBySize(std::move(rows));
}

CostsBySize CostsBySize::first(size_t rows) const {
  return CostsBySize({rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(rows)});
}

CollectiveModel::CollectiveModel(OperatorKind kind, CostsBySize costs, size_t rows)
    : kind_(std::move(kind)), costs_(std::move(costs)), rows_(rows) {
  std::vector<double> residuals, scaled;
  for (size_t r = 1; r + 1 < costs_.count(); ++r) {
    const CostsBySize others = costs_.without(r);
    const double size = costs_.size_of(r);
    residuals.push_back(std::log(costs_.cost_of(r) / others.cost(size)));
    scaled.push_back(residuals.back() / (kLeastDisagreement + others.disagreement(size)));
  }
  factor_ = std::max(1.0, half_width(scaled));
  const auto kept =
      static_cast<size_t>(std::llround((1 - kLargestShare) * static_cast<double>(costs_.count())));
  const std::vector<double> largest = residuals_from(costs_, kept, costs_.first(kept));
  outside_ = std::max({factor_ * kLeastDisagreement, half_width(largest), least_half_width_outside()});
  error_ = {mean_percent(residuals), mean_percent(largest), {}};
}

CollectiveModel CollectiveModel::train(const OperatorKind& kind,
                                       const std::vector<std::vector<double>>& shapes,
                                       const std::vector<double>& costs) {
  std::vector<double> sizes;
  for (const auto& shape : shapes) sizes.push_back(shape.front());
  CostsBySize by_size(sizes, costs);
  if (by_size.count() < kFewestSizes)
    throw Error(
        fmt::format("the table has {} different sizes, which are too few for a prediction", by_size.count()),
        fmt::format("measure at least {} sizes with kjoule collectives", kFewestSizes));
  return CollectiveModel(kind, std::move(by_size), shapes.size());
}

Prediction CollectiveModel::predict(const std::vector<double>& shape) const {
  const double size = shape.front(), least = costs_.size_of(0), most = costs_.size_of(costs_.count() - 1);
  Prediction prediction;
  prediction.features = kind_.work(shape).features;
  if (size < least || size > most)
    prediction.outside.push_back(
        fmt::format("{} {:g} (sampled: {:g} to {:g})", kind_.columns.front(), size, least, most));
  const double half_width_log = std::min(
      kMostLogRatio,
      prediction.outside.empty() ? factor_ * (kLeastDisagreement + costs_.disagreement(size)) : outside_);
  prediction.value = costs_.cost(size);
  prediction.low = prediction.value * std::exp(-half_width_log);
  prediction.high = prediction.value * std::exp(half_width_log);
  return prediction;
}

}  // namespace kjoule
