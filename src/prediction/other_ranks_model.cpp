#include "prediction/other_ranks_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prediction/interval_width.hpp"

namespace kjoule {

namespace {

double log_ranks(const OtherRanksModel::Topology& topology) {
  return std::log(static_cast<double>(topology.first) * topology.second);
}

double half_width_log(const Prediction& prediction) {
  return std::log(prediction.high / prediction.value);
}

std::string text_of(const OtherRanksModel::Topology& topology) {
  return fmt::format("{}x{}", topology.first, topology.second);
}

}  // namespace

OtherRanksModel::OtherRanksModel(Topology topology, Measured first, Measured second)
    : topology_(std::move(topology)), first_(std::move(first)), second_(std::move(second)) {
  const HeldOutError &one = first_.model->error(), &other = second_.model->error();
  error_ = {std::max(one.cross_validated_percent, other.cross_validated_percent),
            std::max(one.largest_percent, other.largest_percent),
            {}};
}

std::string OtherRanksModel::method() const {
  return fmt::format("from {} and {} GPUs: {}", text_of(first_.topology), text_of(second_.topology),
                     first_.model->method());
}

Prediction OtherRanksModel::predict_by(const Measured& measured, const std::vector<double>& shape) {
  return measured.model->predict({shape.front(), static_cast<double>(measured.topology.first),
                                  static_cast<double>(measured.topology.second)});
}

Prediction OtherRanksModel::predict(const std::vector<double>& shape) const {
  const Prediction first = predict_by(first_, shape), second = predict_by(second_, shape);
  const double from = log_ranks(first_.topology), to = log_ranks(second_.topology);
  const double share = (log_ranks(topology_) - from) / (to - from);  // 0 at the first, 1 at the second
  const double rise = std::log(second.value / first.value);
  const double half_width =
      std::min(kMostLogRatio, std::max(half_width_log(first), half_width_log(second)) +
                                  std::abs(rise) * std::max(std::abs(share), std::abs(1 - share)));
  Prediction prediction;
  prediction.value = first.value * std::exp(std::clamp(share * rise, -kMostLogRatio, kMostLogRatio));
  prediction.low = prediction.value * std::exp(-half_width);
  prediction.high = prediction.value * std::exp(half_width);
  prediction.features = kind().work(shape).features;
  prediction.outside = first.outside;
  for (const std::string& text : second.outside)
    if (std::find(first.outside.begin(), first.outside.end(), text) == first.outside.end())
      prediction.outside.push_back(text);
  prediction.outside.push_back(fmt::format("{} GPUs (not sampled)", text_of(topology_)));
  return prediction;
}

}  // namespace kjoule
