#include "logged/log_energies.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace kjoule {

void use_meter(const LoggedMeter& meter, EnergySource& source) {
  source.lag = meter.lag();
  source.meter.accuracy = meter.accuracy;
  source.meter.accuracy_from = meter.accuracy_from;
}

std::optional<Interval> TimedEnergy::each_j() const {
  if (!energy.joules || !runs || *runs <= 0) return {};
  const auto n = static_cast<double>(*runs);
  return Interval{energy.joules->value / n, energy.joules->half_width / n};
}

std::optional<Interval> KernelEnergy::each_j() const {
  return timed.each_j();
}

std::optional<Interval> KernelEnergy::in_context_j() const {
  const auto& joules = timed.energy.joules;
  const double seconds = timed.energy.window.seconds();
  if (!joules || !in_context_us || seconds <= 0 || joules->value == 0) return {};
  // For a kernel of a group, this is the group's power.
  const double j = timed.energy.average_w * in_context_us->value * 1e-6;
  const double time_j = timed.energy.average_w * in_context_us->half_width * 1e-6;
  return Interval{j, std::hypot(time_j, j * joules->half_width / joules->value)};
}

double WholeBlock::busy_share() const {
  const double seconds = timed.energy.window.seconds();
  if (!timed.runs || seconds <= 0) return 0;
  return std::min(1.0, each_us * 1e-6 * static_cast<double>(*timed.runs) / seconds);
}

bool ContextComparison::agrees() const {
  return std::abs(sum_j.value - whole_j.value) <= std::hypot(sum_j.half_width, whole_j.half_width);
}

std::optional<ContextComparison> compare_in_context(const LogEnergies& energies) {
  if (!energies.in_context || !energies.whole_block || !energies.whole_block->timed.energy.joules) return {};
  const WindowEnergy& whole = energies.whole_block->timed.energy;
  if (whole.joules->value <= 0) return {};
  ContextComparison compared;
  // Errors of the powers are independent. The error of the times is that of the sum in kjoule compare.
  std::map<std::string, double> block_j;
  for (size_t k = 0; k < energies.kernels.size(); ++k) {
    const KernelEnergy& kernel = energies.kernels[k];
    if (!kernel.in_context_us) continue;  // kjoule compare excluded this kernel from its sum, too
    const auto joules = kernel.in_context_j();
    if (!joules) return {};
    compared.sum_j.value += joules->value;
    const auto& of_block = kernel.timed.energy.joules;
    block_j[kernel.group.empty() ? std::to_string(k) : kernel.group] +=
        joules->value * of_block->half_width / of_block->value;
  }
  double squares = 0;
  for (const auto& [block, half_width_j] : block_j) squares += half_width_j * half_width_j;
  const Interval& sum_us = energies.in_context->sum_us;
  const double of_times = sum_us.value > 0 ? compared.sum_j.value * sum_us.half_width / sum_us.value : 0;
  compared.sum_j.half_width = std::hypot(std::sqrt(squares), of_times);
  const Interval& whole_us = energies.in_context->whole_us;
  const double whole_j = whole.average_w * whole_us.value * 1e-6;
  // In the rest of the block, memory is restored, with a power between 0 and that of the whole.
  const double rest_j = (1 - energies.whole_block->busy_share()) * whole_j;
  const double sampling_j = whole_j * whole.joules->half_width / whole.joules->value;
  compared.whole_j = {whole_j, std::hypot(sampling_j, whole.average_w * whole_us.half_width * 1e-6, rest_j)};
  return compared;
}

std::optional<double> KernelEnergy::busy_share() const {
  if (!group.empty()) return {};  // the other kernels of the group also ran in the window
  const double seconds = timed.energy.window.seconds();
  if (!timed.energy.joules || !single_us || !timed.runs || seconds <= 0) return {};
  return std::min(1.0, *single_us * 1e-6 * static_cast<double>(*timed.runs) / seconds);
}

KernelSum sum_of(const std::vector<KernelEnergy>& kernels, std::optional<Tier> tier) {
  KernelSum sum;
  double joules = 0, all_us = 0, measured_us = 0;
  bool timed = true;
  std::map<std::string, double> half_widths_j;  // by block: by group, or by number
  for (const KernelEnergy& kernel : kernels) {
    if (tier && kernel.tier != *tier) continue;
    ++sum.kernels;
    const auto count = static_cast<double>(kernel.count);
    timed = timed && kernel.single_us.has_value();
    all_us += kernel.alone_us();
    const auto each = kernel.each_j();
    if (!each) continue;
    ++sum.measured;
    if (kernel.timed.energy.flagged()) ++sum.flagged;
    measured_us += kernel.alone_us();
    joules += each->value * count;
    half_widths_j[kernel.group.empty() ? std::to_string(sum.kernels) : kernel.group] +=
        each->half_width * count;
  }
  double squares = 0;
  for (const auto& [block, half_width_j] : half_widths_j) squares += half_width_j * half_width_j;
  if (sum.measured > 0) sum.joules = Interval{joules, std::sqrt(squares)};
  // The share is not known if a kernel was not timed.
  if (timed && all_us > 0) sum.covered_share = measured_us / all_us;
  return sum;
}

}  // namespace kjoule
