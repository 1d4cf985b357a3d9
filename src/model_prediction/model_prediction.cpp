#include "model_prediction/model_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "prediction/power_limit.hpp"

namespace kjoule {

namespace {

Estimate operator+(const Estimate& a, const Estimate& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}

Estimate operator*(double factor, const Estimate& estimate) {
  return {factor * estimate.value, factor * estimate.low, factor * estimate.high};
}

void refuse_foreign_type(const RecordedOperator& called) {
  if (!called.foreign_type.empty())
    throw Error(fmt::format("a tensor has the type {}, for which kjoule has no model", called.foreign_type),
                "record the model with another type");
}

/// Returns the operators with equal names and sizes as one.
std::vector<PredictedCalls> predict_each(const RecordedOperators& recorded, OperatorEstimator& estimator) {
  std::vector<PredictedCalls> all;
  std::map<std::string, size_t> known;
  for (const RecordedOperator& called : recorded.launching) {
    const CallWork work = work_of(called);
    PredictedCalls calls{called.name, sizes_of(called), work.kind, called.calls, {}, {}};
    try {
      refuse_foreign_type(called);
      calls.parts = estimator.estimate(work);
    } catch (const Error& error) {
      calls.missing = error.line();
    }
    std::string key = calls.name + ' ' + calls.sizes + ' ' + calls.missing;
    for (const CallEstimate& part : calls.parts)
      key += ' ' + part.source + ' ' + std::to_string(part.us.value);
    const auto [at, is_new] = known.try_emplace(key, all.size());
    if (is_new)
      all.push_back(std::move(calls));
    else
      all[at->second].calls += called.calls;
  }
  return all;
}

/// Returns the additional time of calls in a model. The constants are fitted to ten programs on an H200 whose
/// kernels were measured both ways (tests/gpu/predicted --context); the largest deviation is 13 % of the sum.
Estimate context_us(double calls, double sum_us) {
  constexpr double kEachUs = 0.31, kShare = 0.077, kHalfWidth = 0.12;
  const double us = kEachUs * calls + kShare * sum_us;
  return {us, std::max(0.0, us - kHalfWidth * sum_us), us + kHalfWidth * sum_us};
}

/// Returns the sum with the error of the rules that choose the sampled operators, which the intervals of the
/// calls do not contain. The logarithms of predicted to measured times of ten programs on an H200
/// (tests/gpu/predicted) have a root mean square of 0.30; 90 % of normally distributed errors are
/// within 1.645 times as much.
Estimate widen_by_rules(const Estimate& sum) {
  constexpr double kHalfWidthLog = 0.49;
  const double below = sum.value * (1 - std::exp(-kHalfWidthLog));
  const double above = sum.value * (std::exp(kHalfWidthLog) - 1);
  return {sum.value, std::max(0.0, sum.value - std::hypot(sum.value - sum.low, below)),
          sum.value + std::hypot(sum.high - sum.value, above)};
}

/// The sum of all calls' energies, by source.
struct EnergySum {
  CombinedError error;
  double joules_per_us = 0;  ///< of the calls with an energy
};

/// Returns the energy of all calls. Calls without an energy have the mean power of the others, from half of
/// it to one and a half times; nothing if no call has an energy.
std::optional<EnergySum> energy_of(const std::vector<PredictedCalls>& operators) {
  constexpr double kLeastShare = 0.5, kLargestShare = 1.5;
  double us = 0, joules = 0;
  EnergySum all;
  CombinedError& sum = all.error;
  std::vector<std::pair<double, Estimate>> without;
  for (const PredictedCalls& one : operators)
    for (const CallEstimate& part : one.parts) {
      const auto calls = static_cast<double>(one.calls);
      if (!part.joules) {
        without.emplace_back(calls, part.us);
        continue;
      }
      us += calls * part.us.value;
      joules += calls * part.joules->value;
      sum.add(part.source, calls, *part.joules);
    }
  if (us <= 0) return {};
  all.joules_per_us = joules / us;
  const double joules_per_us = all.joules_per_us;
  for (const auto& [calls, time] : without)
    sum.add("mean power", calls,
            {joules_per_us * time.value, kLeastShare * joules_per_us * time.low,
             kLargestShare * joules_per_us * time.high});
  return all;
}

/// Adds the calls, and what they cost in addition in a model. The power in the additional time is between 0
/// and the mean power.
void add_up(ModelPrediction& prediction) {
  CombinedError sum;
  double calls = 0;
  for (const PredictedCalls& one : prediction.operators)
    for (const CallEstimate& part : one.parts) {
      sum.add(part.source, static_cast<double>(one.calls), part.us);
      calls += static_cast<double>(one.calls);
    }
  prediction.context.us = context_us(calls, sum.sum().value);
  sum.add("context", 1, prediction.context.us);
  prediction.us = widen_by_rules(sum.sum());
  std::optional<EnergySum> energy = energy_of(prediction.operators);
  if (!energy) return;
  const Estimate& us = prediction.context.us;
  prediction.context.joules =
      Estimate{0.5 * energy->joules_per_us * us.value, 0, energy->joules_per_us * us.high};
  energy->error.add("context", 1, *prediction.context.joules);
  prediction.joules = widen_by_rules(energy->error.sum());
}

void apply_power_limit(ModelPrediction& prediction, double limit_w) {
  if (!prediction.joules)
    throw Error("the tables have no energies, from which the effect of a power limit follows",
                "omit --power-limit");
  const double watts = prediction.joules->value / (prediction.us.value * 1e-6), excess = watts / limit_w;
  if (excess <= 1) return;
  const double factor = std::pow(excess, kSlowdownExponent);
  prediction.slowdown = ModelSlowdown{watts, factor};
  prediction.us = factor * prediction.us;
  prediction.joules = factor / excess * *prediction.joules;
}

}  // namespace

Estimate PredictedCalls::us() const {
  Estimate sum;
  for (const CallEstimate& part : parts) sum = sum + part.us;
  return sum;
}

std::optional<Estimate> PredictedCalls::joules() const {
  Estimate sum;
  for (const CallEstimate& part : parts) {
    if (!part.joules) return {};
    sum = sum + *part.joules;
  }
  return parts.empty() ? std::nullopt : std::optional(sum);
}

Basis PredictedCalls::basis() const {
  Basis least = Basis::samples;
  for (const CallEstimate& part : parts) least = std::max(least, part.basis);
  return least;
}

size_t ModelPrediction::calls() const {
  size_t all = 0;
  for (const PredictedCalls& one : operators) all += one.calls;
  return all;
}

size_t ModelPrediction::calls_not_predicted() const {
  size_t all = 0;
  for (const PredictedCalls& one : operators)
    if (one.parts.empty()) all += one.calls;
  return all;
}

double ModelPrediction::share_percent(Basis basis) const {
  double all = 0, of_basis = 0;
  for (const PredictedCalls& one : operators) {
    if (one.parts.empty()) continue;
    const double time = static_cast<double>(one.calls) * one.us().value;
    all += time;
    if (one.basis() == basis) of_basis += time;
  }
  return all > 0 ? 100 * of_basis / all : 0;
}

ModelPrediction predict_model(const RecordedOperators& recorded, OperatorEstimator& estimator,
                              std::optional<double> power_limit_w) {
  ModelPrediction prediction;
  prediction.calls_without_work = recorded.calls_without_work;
  prediction.operators = predict_each(recorded, estimator);
  add_up(prediction);
  if (prediction.us.value <= 0)
    throw Error("none of the recorded operators can be predicted" +
                    (prediction.operators.empty() ? std::string(": none launches work")
                                                  : ": " + prediction.operators.front().name + ": " +
                                                        prediction.operators.front().missing),
                "docs/guide/predict.md lists the operators that can");
  const auto time_of = [](const PredictedCalls& one) {
    return one.parts.empty() ? 0.0 : static_cast<double>(one.calls) * one.us().value;
  };
  std::stable_sort(prediction.operators.begin(), prediction.operators.end(),
                   [&](const PredictedCalls& a, const PredictedCalls& b) { return time_of(a) > time_of(b); });
  if (power_limit_w) apply_power_limit(prediction, *power_limit_w);
  return prediction;
}

}  // namespace kjoule
