#include "measure/energy/complete_block.hpp"

#include <cmath>
#include <utility>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

/// Returns energy and time of one repeat without its pauses; nothing if the meter reported no power.
std::optional<RepeatEnergy> repeat_of(const SteadyReading& reading, const UsedMeter& meter) {
  if (meter.index >= reading.mean_w.size() || !reading.mean_w[meter.index]) return {};
  return RepeatEnergy{*reading.mean_w[meter.index] * reading.repeat_s - meter.pause_w * reading.pause_s,
                      reading.repeat_s - reading.pause_s};
}

/// Returns energy and time of the readings for which the meter reported power.
std::vector<RepeatEnergy> repeats_of(const std::vector<SteadyReading>& readings, const UsedMeter& meter) {
  std::vector<RepeatEnergy> repeats;
  for (const SteadyReading& reading : readings)
    if (const auto repeat = repeat_of(reading, meter)) repeats.push_back(*repeat);
  return repeats;
}

/// Returns the mean of the wholes before and after a block. The whole after a block is that of the next
/// block, if there is one.
RepeatEnergy whole_around(const RepeatEnergy& before, const EnergyBlock* next, const UsedMeter& meter) {
  const auto after = next != nullptr ? repeat_of(next->whole, meter) : std::nullopt;
  if (!after) return before;
  return {(before.joules + after->joules) / 2, (before.seconds + after->seconds) / 2};
}

/// Returns the mean clock of the wholes before and after a block; nothing if it is unknown.
std::optional<double> clock_around(const EnergyBlock& block, const EnergyBlock* next,
                                   const UsedMeter& meter) {
  const bool is_next_used = next != nullptr && repeat_of(next->whole, meter);
  if (!block.whole.clock_hz || !is_next_used || !next->whole.clock_hz) return block.whole.clock_hz;
  return (*block.whole.clock_hz + *next->whole.clock_hz) / 2;
}

/// The energy of the same work, idle power included, is assumed to be proportional to the clock to this
/// power. For clocks that differ by 1 %, the exponent is 1.2 to 1.9 (bench/energy_clock). The clocks of
/// iterations without some launches differ by up to 26 % from that of the whole. For these, a smaller
/// exponent fits the sums of the tuning programs best.
constexpr double kFollowsClock = 1.2;

/// Returns one repeat of each reading, with the energy scaled to the clock `hz`. Times are not scaled,
/// because this would change the mean error of the sums by less than 0.1 %.
std::vector<RepeatEnergy> at_clock(std::optional<double> hz, const std::vector<SteadyReading>& readings,
                                   std::vector<RepeatEnergy> repeats) {
  for (size_t i = 0; i < repeats.size(); ++i)
    if (hz && readings[i].clock_hz) repeats[i].joules *= std::pow(*hz / *readings[i].clock_hz, kFollowsClock);
  return repeats;
}

/// Returns the mean measured energy minus the mean energy at the whole's clock, J.
double for_clocks_j(const std::vector<RepeatEnergy>& as_read, const std::vector<RepeatEnergy>& corrected) {
  return mean_repeat(as_read).joules - mean_repeat(corrected).joules;
}

}  // namespace

std::vector<double> values(const std::vector<RepeatEnergy>& repeats, RepeatValue value) {
  std::vector<double> all;
  for (const RepeatEnergy& repeat : repeats) all.push_back(repeat.*value);
  return all;
}

RepeatEnergy mean_repeat(const std::vector<RepeatEnergy>& repeats) {
  if (repeats.empty()) return {};
  return {mean(values(repeats, &RepeatEnergy::joules)), mean(values(repeats, &RepeatEnergy::seconds))};
}

double CompleteBlock::difference(RepeatValue value) const {
  return mean_repeat(with).*value - mean_repeat(without).*value;
}

std::vector<CompleteBlock> complete_blocks(const std::vector<EnergyBlock>& blocks, const UsedMeter& meter) {
  std::vector<CompleteBlock> all;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const EnergyBlock& block = blocks[b];
    const EnergyBlock* next = b + 1 < blocks.size() ? &blocks[b + 1] : nullptr;
    const auto whole = repeat_of(block.whole, meter);
    const auto read_with = repeats_of(block.with, meter), read_without = repeats_of(block.without, meter);
    if (!whole || read_with.size() < block.with.size() || read_without.size() < block.without.size())
      continue;
    const auto hz = clock_around(block, next, meter);
    const auto with = at_clock(hz, block.with, read_with);
    const auto without = at_clock(hz, block.without, read_without);
    all.push_back({block.group, *whole, whole_around(*whole, next, meter), with, without,
                   for_clocks_j(read_with, with), for_clocks_j(read_without, without)});
  }
  return all;
}

std::optional<RepeatEnergy> mean_of(const std::vector<SteadyReading>& readings, size_t meter) {
  const std::vector<RepeatEnergy> repeats = repeats_of(readings, {meter, 0});
  if (repeats.size() < readings.size()) return {};
  return mean_repeat(repeats);
}

std::optional<UsedMeter> used_meter(const EnergyPlan& plan, const RepeatEnergy& restoring, size_t meter) {
  const auto paused = mean_of(plan.paused, meter);
  if (!paused) return {};
  if (plan.paused.empty()) return UsedMeter{meter, 0};
  return UsedMeter{meter, (paused->joules - restoring.joules) / (paused->seconds - restoring.seconds)};
}

}  // namespace kjoule
