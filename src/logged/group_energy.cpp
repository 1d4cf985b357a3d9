#include "logged/group_energy.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {

namespace {

/// Energy and time of one iteration: the means of several blocks of iterations.
struct MeanIteration {
  Interval joules;
  double seconds = 0;
};

MeanIteration mean_of(const std::vector<LoggedIterations>& blocks) {
  const auto n = static_cast<double>(blocks.size());
  MeanIteration mean;
  double variance = 0, least_j = INFINITY, most_j = -INFINITY;
  for (const LoggedIterations& block : blocks) {
    const WindowEnergy& energy = block.logged.energy;
    const double joules = energy.average_w * block.each_s;
    const double half_width_j = joules * energy.joules->half_width / energy.joules->value;
    mean.joules.value += joules / n;
    mean.seconds += block.each_s / n;
    variance += half_width_j * half_width_j / (n * n);
    least_j = std::min(least_j, joules);
    most_j = std::max(most_j, joules);
  }
  mean.joules.half_width = std::sqrt(variance) + (most_j - least_j) / 2;
  return mean;
}

double silent_share(const WindowEnergy& energy) {
  const double seconds = energy.window.seconds();
  return seconds > 0 ? energy.silent_s() / seconds : 0;
}

/// Returns the description of the readings of all blocks, without their energy. It is that of the first block
/// without energy. If all blocks have energy, it is that of the block in which the meter was silent for the
/// largest share. The number of samples is the smallest of all blocks.
WindowEnergy readings_of(const std::vector<const WindowEnergy*>& blocks) {
  const auto lacks = [](const WindowEnergy* energy) { return !energy->joules || energy->joules->value <= 0; };
  const auto lacking = std::ranges::find_if(blocks, lacks);
  WindowEnergy all =
      **(lacking != blocks.end() ? lacking : std::ranges::max_element(blocks, {}, [](auto* energy) {
        return silent_share(*energy);
      }));
  if (lacking != blocks.end() && all.missing.empty())
    all.missing = "its blocks have no energy above 0 in the log";
  for (const WindowEnergy* energy : blocks) {
    all.samples = std::min(all.samples, energy->samples);
    all.few_samples = all.few_samples || energy->few_samples;
  }
  all.joules.reset();
  all.average_w = 0;
  return all;
}

}  // namespace

TimedEnergy energy_of_difference(const std::vector<LoggedIterations>& with,
                                 const std::vector<LoggedIterations>& without,
                                 std::optional<double> in_context_s) {
  std::vector<const WindowEnergy*> blocks;
  for (const auto* list : {&with, &without})
    for (const LoggedIterations& block : *list) blocks.push_back(&block.logged.energy);
  TimedEnergy launches{readings_of(blocks), with.front().logged.start_timestamp,
                       with.back().logged.end_timestamp, with.front().logged.runs};
  WindowEnergy& energy = launches.energy;
  if (!energy.missing.empty()) return launches;
  const MeanIteration longer = mean_of(with), shorter = mean_of(without);
  const double removed_s = longer.seconds - shorter.seconds;
  const double launches_s = in_context_s && *in_context_s > 0 ? *in_context_s : removed_s;
  if (launches_s <= 0) {
    energy.missing = "the iterations without its group's launches are not shorter than those with them";
    return launches;
  }
  const double rest_j = longer.joules.value / longer.seconds * (launches_s - removed_s);
  const double each_j = longer.joules.value - shorter.joules.value + rest_j;
  const auto runs = static_cast<double>(*launches.runs);
  energy.joules = {runs * each_j,
                   runs * std::hypot(longer.joules.half_width, shorter.joules.half_width, rest_j)};
  energy.average_w = each_j / launches_s;
  return launches;
}

}  // namespace kjoule
