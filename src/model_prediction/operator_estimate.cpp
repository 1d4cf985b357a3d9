#include "model_prediction/operator_estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "model_prediction/roof_estimate.hpp"

namespace kjoule {

namespace {

/// Half-widths of the logarithm that are added if the sampled operator is not the same one. These are
/// assumptions, not measurements.
double unlikeness(Likeness likeness) {
  switch (likeness) {
    case Likeness::same:
      return 0;
    case Likeness::similar:
      return 0.1;
    case Likeness::distant:
      break;
  }
  return 0.4;
}

Estimate widened(const Prediction& prediction, double half_width_log) {
  return {prediction.value, prediction.low * std::exp(-half_width_log),
          prediction.high * std::exp(half_width_log)};
}

/// Returns the data sheet of the GPU with this name in file names, which have no spaces.
std::optional<DeviceRoofs> roofs_of(const std::string& gpu) {
  for (const std::string& device : devices_with_roofs()) {
    std::string name = device;
    std::erase(name, ' ');
    if (name == gpu) return find_device_roofs(device);
  }
  return {};
}

/// Returns the time of a launch with next to no work: between the time that the roofline extrapolates and
/// that of the smallest sample, if the smallest sample is small, so that its time is mostly that of a launch.
double launch_time_us(const OperatorModel& model, const OperatorWork& work) {
  constexpr double kLeastLaunchUs = 0.8;  // a chain of empty kernels on an H200
  constexpr double kSmallSample = 2;
  const double fixed =
      model.extrapolate({work.features, 0, std::vector<double>(work.streams.size(), 0.0), 0});
  const double least = model.least_measured();
  const bool is_small = least > fixed && least < kSmallSample * fixed;
  return std::max(is_small ? std::sqrt(fixed * least) : fixed, kLeastLaunchUs);
}

/// Returns the time of less work than in every sample: the roofline's, or that of a launch and of moving the
/// bytes from the memory, because the data of small samples were in the cache.
Estimate small_time(const OperatorModel& model, const OperatorWork& work, const Prediction& predicted,
                    const std::optional<DeviceRoofs>& roofs, double bytes) {
  constexpr double kMoreLog = 0.2;  // an assumption: the intervals of samples do not apply to less work
  const double moving_us = roofs ? memory_us(*roofs, bytes) : 0;
  const double us = std::max(model.extrapolate(work), launch_time_us(model, work) + moving_us);
  const double half_width_log = std::log(predicted.high / predicted.value) + kMoreLog;
  Estimate small{us, us * std::exp(-half_width_log), us * std::exp(half_width_log)};
  if (roofs && bytes > roofs->cache_bytes) small.low = std::max(small.low, kReachedBandwidth * moving_us);
  small.high = std::max(small.high, predicted.high);
  return small;
}

Estimate slowed(const Estimate& estimate, const Slowdown& slowdown) {
  return {slowdown.value * estimate.value, slowdown.low * estimate.low, slowdown.high * estimate.high};
}

/// Slows an estimate down. The estimate is then beyond the samples, which have no such calls.
void slow_down(CallEstimate& estimate, const Slowdown& slowdown) {
  if (slowdown.value == 1) return;
  estimate.us = slowed(estimate.us, slowdown);
  if (estimate.joules) estimate.joules = slowed(*estimate.joules, slowdown);
  estimate.basis = Basis::beyond_samples;
  estimate.outside.push_back(fmt::format("{:g} times as long as in the samples ({:g} to {:g})",
                                         slowdown.value, slowdown.low, slowdown.high));
}

}  // namespace

std::string basis_text(Basis basis) {
  switch (basis) {
    case Basis::samples:
      return "samples";
    case Basis::beyond_samples:
      return "beyond samples";
    case Basis::roofline:
      break;
  }
  return "roofline";
}

OperatorEstimator::OperatorEstimator(TrainedModels& models, std::string gpu)
    : models_(models), gpu_(std::move(gpu)), roofs_(roofs_of(gpu_)) {
  std::set<std::string> gpus;
  for (const TableName& table : models_.data().tables()) gpus.insert(table.gpu);
  if (!gpus.contains(gpu_))
    throw Error(fmt::format("{} has no tables of the GPU {}", models_.data().name(), gpu_),
                fmt::format("name one of {} with --gpu", fmt::join(gpus, ", ")));
}

std::vector<CallEstimate> OperatorEstimator::estimate(const CallWork& work) {
  if (!work.unknown.empty()) throw Error(work.unknown);
  std::vector<CallEstimate> parts;
  for (const SampledWork& sampled : work.sampled)
    if (const auto part = from_tables(sampled, work.bytes / static_cast<double>(work.sampled.size())))
      parts.push_back(*part);
  for (CallEstimate& part : parts) slow_down(part, work.slowdown);
  if (!parts.empty() && parts.size() == work.sampled.size()) return parts;
  if (!roofs_) throw Error(fmt::format("{} has no table for it, and kjoule no data sheet", gpu_));
  return {{"roofline",
           Basis::roofline,
           estimate_at_roofs(*roofs_, work.precision, work.flops, work.bytes),
           {},
           {}}};
}

std::vector<TableName> OperatorEstimator::tables_for(const SampledWork& sampled) {
  std::vector<TableName> tables;
  for (const std::string& precision : sampled.precisions) {
    for (const std::string& operation : sampled.operations) {
      const TableName table{gpu_, operation, precision, {}};
      if (has_rows(table, sampled.direction)) tables.push_back(table);
    }
    if (!tables.empty()) break;
  }
  return tables;
}

bool OperatorEstimator::has_rows(const TableName& table, Direction direction) {
  const auto [at, is_new] = has_rows_.try_emplace(table.stem() + direction_text(direction), false);
  if (!is_new || !models_.data().has(table.stem())) return at->second;
  const Samples samples = models_.data().samples(table);
  at->second = samples.select(direction, Measurand::time).costs.size() >= OperatorModel::kFewestRows;
  return at->second;
}

std::optional<CallEstimate> OperatorEstimator::from_tables(const SampledWork& sampled, double bytes) {
  std::optional<CallEstimate> nearest;
  for (const TableName& table : tables_for(sampled)) {
    CallEstimate estimate = from_table(table, sampled, bytes);
    if (!nearest || estimate.outside.size() < nearest->outside.size()) nearest = std::move(estimate);
    if (nearest->outside.empty()) break;
  }
  return nearest;
}

CallEstimate OperatorEstimator::from_table(const TableName& table, const SampledWork& sampled, double bytes) {
  const OperatorModel& time = models_.operator_time(table, sampled.direction);
  const OperatorModel* energy = models_.operator_energy(table, sampled.direction);
  const Prediction us = time.predict(sampled.work);
  const double unlike = unlikeness(sampled.likeness);
  CallEstimate estimate{table.stem() + " " + direction_text(sampled.direction),
                        us.outside.empty() ? Basis::samples : Basis::beyond_samples,
                        widened(us, unlike),
                        {},
                        us.outside};
  if (energy) estimate.joules = widened(energy->predict(sampled.work), unlike);
  if (!time.is_below_samples(sampled.work)) return estimate;
  const Estimate small = small_time(time, sampled.work, us, roofs_, bytes);
  estimate.us = {small.value, small.low * std::exp(-unlike), small.high * std::exp(unlike)};
  if (!energy) return estimate;
  // The power of the work by the rooflines, times the time. It is known less well than the time.
  constexpr double kPowerFactor = 1.5;
  const double watts = energy->extrapolate(sampled.work) / time.extrapolate(sampled.work);
  estimate.joules = Estimate{watts * estimate.us.value, watts * estimate.us.low / kPowerFactor,
                             watts * estimate.us.high * kPowerFactor};
  return estimate;
}

}  // namespace kjoule
