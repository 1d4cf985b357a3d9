#include "prediction/transferred_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "prediction/roofline.hpp"

namespace kjoule {

namespace {

using Scales = std::array<double, 3>;

/// 90 % of all rows of two GPUs were predicted with a smaller error from the other GPU's tables and the data
/// sheets (bench/transfer), as a logarithm: inside and outside the samples of the source.
constexpr double kInsideLog = 0.61, kOutsideLog = 0.87;
/// Weight of the ratios of the peak rates against that of a row. Rows determine a scale on which their times
/// depend; the others stay near the ratio.
constexpr double kPriorWeight = 0.01;
constexpr int kScaleFits = 3;
constexpr double kSmallScaleError =
    0.02;  ///< relative error below which the weight of a row no longer increases
/// Shares of the source's correction that are tried.
constexpr double kShares[] = {1, 0.5, 0};

/// A row of the target: the parts of the source's prediction, and the measured time.
struct TransferRow {
  OperatorModel::Parts parts;
  double us;

  Scales scaled(const Scales& scales, double share) const {
    const double factor = std::exp(share * parts.correction_log);
    return {scales[0] * parts.roofline.fixed * factor, scales[1] * parts.roofline.compute * factor,
            scales[2] * parts.roofline.memory * factor};
  }
};

double sum(const Scales& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

Scales ratios(const GpuRates& from, const GpuRates& to) {
  return {1, from.flops_per_s / to.flops_per_s, from.bytes_per_s / to.bytes_per_s};
}

/// Returns the scales that minimise the relative errors of the rows, with weights that reduce the influence
/// of outliers, and their distance from `prior`, as a share of `prior`.
Scales fit_scales(const std::vector<const TransferRow*>& rows, const Scales& prior, double share) {
  std::vector<double> weights(rows.size(), 1);
  Scales found{1, 1, 1};
  for (int turn = 0; turn <= kScaleFits; ++turn) {
    std::vector<std::vector<double>> equations;
    std::vector<double> right;
    for (size_t r = 0; r < rows.size(); ++r) {
      const Scales parts = rows[r]->scaled(prior, share);
      equations.push_back({});
      for (const double part : parts) equations.back().push_back(weights[r] * part / rows[r]->us);
      right.push_back(weights[r]);
    }
    for (size_t s = 0; s < found.size(); ++s) {
      std::vector<double> equation(found.size());
      equation[s] = std::sqrt(kPriorWeight);
      right.push_back(equation[s]);
      equations.push_back(std::move(equation));
    }
    const std::vector<double> x = non_negative_least_squares(equations, right);
    std::copy(x.begin(), x.end(), found.begin());
    double total = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      const Scales parts = rows[r]->scaled({prior[0] * x[0], prior[1] * x[1], prior[2] * x[2]}, share);
      weights[r] = 1 / std::sqrt(std::max(std::abs(sum(parts) / rows[r]->us - 1), kSmallScaleError));
      total += weights[r];
    }
    for (double& weight : weights) weight *= static_cast<double>(rows.size()) / total;
  }
  for (size_t s = 0; s < found.size(); ++s) found[s] *= prior[s];
  return found;
}

/// Returns the logarithm of the ratio of the measured to the predicted time of each row, which is left out of
/// the fit of its prediction.
std::vector<double> left_out_logs(const std::vector<TransferRow>& rows, const Scales& prior, double share) {
  std::vector<double> logs;
  for (const TransferRow& one : rows) {
    std::vector<const TransferRow*> others;
    for (const TransferRow& other : rows)
      if (&other != &one) others.push_back(&other);
    logs.push_back(std::log(one.us / sum(one.scaled(fit_scales(others, prior, share), share))));
  }
  return logs;
}

double mean_size(const std::vector<double>& logs) {
  double total = 0;
  for (const double log : logs) total += std::expm1(std::abs(log));
  return total / static_cast<double>(logs.size());
}

}  // namespace

TransferredModel TransferredModel::scale(const OperatorModel& source, const GpuRates& from,
                                         const GpuRates& to) {
  return {source, ratios(from, to)};
}

TransferredModel TransferredModel::fit(const OperatorModel& source, const GpuRates& from, const GpuRates& to,
                                       const std::vector<std::vector<double>>& shapes,
                                       const std::vector<double>& us) {
  if (shapes.size() < kFewestRows)
    throw Error(fmt::format("the table has {} rows, which are too few to adapt a model", shapes.size()),
                fmt::format("sample at least {} shapes, or omit --rows", kFewestRows));
  std::vector<TransferRow> rows;
  for (size_t r = 0; r < shapes.size(); ++r) {
    check_features(source.kind(), shapes[r]);
    rows.push_back({source.parts(shapes[r]), us[r]});
  }
  const Scales prior = ratios(from, to);
  std::vector<double> best_logs;
  double best_share = 1, least = std::numeric_limits<double>::infinity();
  for (const double share : kShares) {
    std::vector<double> logs = left_out_logs(rows, prior, share);
    if (mean_size(logs) >= least) continue;
    least = mean_size(logs);
    best_logs = std::move(logs);
    best_share = share;
  }
  std::vector<const TransferRow*> all;
  for (const TransferRow& row : rows) all.push_back(&row);
  TransferredModel model(source, fit_scales(all, prior, best_share));
  model.correction_share_ = best_share;
  model.rows_ = rows.size();
  double largest = 0, total = 0;
  for (const double log : best_logs) {
    largest = std::max(largest, std::abs(log));
    total += std::abs(std::expm1(-log));
  }
  model.left_out_percent_ = 100 * total / static_cast<double>(rows.size());
  if (rows.size() >= kRowsForInterval) {
    // The rank of 90 % is the largest error for up to 19 rows.
    std::vector<double> sizes;
    for (const double log : best_logs) sizes.push_back(std::abs(log));
    std::sort(sizes.begin(), sizes.end());
    const auto rank = static_cast<size_t>(std::ceil(0.9 * static_cast<double>(sizes.size() + 1)));
    model.half_width_log_ = sizes[std::min(rank, sizes.size()) - 1];
  }
  return model;
}

Prediction TransferredModel::predict(const std::vector<double>& shape) const {
  const TransferRow row{source_->parts(shape), 0};
  Prediction prediction;
  prediction.value =
      std::max(sum(row.scaled(scales_, correction_share_)), std::numeric_limits<double>::min());
  const double without_rows = row.parts.outside.empty() ? kInsideLog : kOutsideLog;
  const double half_width = std::max(half_width_log_.value_or(without_rows), row.parts.half_width_log);
  prediction.low = prediction.value * std::exp(-half_width);
  prediction.high = prediction.value * std::exp(half_width);
  prediction.features = source_->kind().work(shape).features;
  prediction.outside = row.parts.outside;
  return prediction;
}

}  // namespace kjoule
