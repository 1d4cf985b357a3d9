#include "measure/energy/meter_block.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "measure/meters/repeat_count.hpp"
#include "measure/time/replay_track.hpp"

namespace kjoule {

namespace {

/// One repeat of a track, which consists of several runs. It is long compared with the time for submitting
/// it.
constexpr GraphLimits kRepeat{.least_s = 0.02, .most_copies = 200, .most_launches = 2000};

/// Returns the launches of one run. On a GPU, each launch is replaced by the first launch of its kernel, for
/// which lead_to() prepares the memory.
std::vector<LaunchIndex> launches_of_run(const KernelTable& table, const std::vector<uint32_t>& kernels,
                                         bool on_gpu) {
  std::vector<LaunchIndex> launches = launches_of(table, kernels);
  if (on_gpu) std::fill(launches.begin(), launches.end(), launches.front());
  return launches;
}

/// Replays the iteration up to `launch`, so that memory has the contents that this launch found in the
/// program. At the end of an iteration, memory may have other contents than the input of the launch, and a
/// wrong index there could cause an illegal address.
void lead_to(Device& device, LaunchIndex launch) {
  once_s(*device.open(SteadyWork{1}));  // restores memory
  std::vector<LaunchIndex> lead(launch);
  std::iota(lead.begin(), lead.end(), 0);
  if (!lead.empty()) once_s(*device.open(SteadyWork{.plain = 1, .only = lead}));
}

/// Returns steady replays of a track whose repeat consists of `runs` runs and `other_s` seconds of other
/// work.
MeterWork repeated(Track& track, int runs, double other_s, std::span<MeterRecord> meters,
                   const ReadingWindow& window) {
  const double about_s = second_replay_s(track);
  SteadyLoop loop(meters);
  const SteadyReading reading = loop.read(track, about_s, window);
  return {reading.repeats * runs, std::max(0.0, reading.repeat_s - other_s) / runs, reading.pieces_begin_ns,
          reading.end_ns};
}

/// Measures the whole. A repeat consists of several iterations, after which memory is restored.
void measure_whole(Device& device, double iteration_s, std::span<MeterRecord> meters,
                   const ReadingWindow& window, MeterBlock& block) {
  const int runs = iterations_in_repeat(iteration_s);
  const double restoring_s = second_replay_s(*device.open(SteadyWork{0}));
  const auto track = device.open(SteadyWork{runs});
  block.with = {repeated(*track, runs, restoring_s, meters, window)};
}

void measure_kernels(Device& device, const std::vector<LaunchIndex>& launches, bool on_gpu,
                     std::span<MeterRecord> meters, const ReadingWindow& window, MeterBlock& block) {
  const auto one_run = device.open(SteadyWork{.plain = 1, .only = launches});
  if (on_gpu) lead_to(device, launches.front());
  const double run_s = second_replay_s(*one_run);
  const int runs = copies_in_graph(kRepeat, run_s, launches.size());
  const auto track = device.open(SteadyWork{.plain = runs, .only = launches});
  if (on_gpu) lead_to(device, launches.front());
  block.with = {repeated(*track, runs, 0, meters, window)};
}

void measure_difference(Device& device, const std::vector<LaunchIndex>& launches,
                        std::span<MeterRecord> meters, const ReadingWindow& window, MeterBlock& block) {
  SteadyWork work{.plain = 0, .marked = launches};
  const auto with = device.open(work);
  work.left_out = true;
  const auto without = device.open(work);
  const MeterWork before = repeated(*with, 1, 0, meters, window);
  block.without = {repeated(*without, 1, 0, meters, {window.settle_s, 2 * window.span_s})};
  block.with = {before, repeated(*with, 1, 0, meters, window)};
}

}  // namespace

std::vector<std::vector<uint32_t>> meter_blocks(const KernelTable& table, const std::vector<double>& total_s,
                                                size_t alone) {
  std::vector<uint32_t> order;
  for (uint32_t kernel = 0; kernel < table.kernels.size(); ++kernel)
    if (total_s.at(kernel) > 0) order.push_back(kernel);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return total_s[a] > total_s[b]; });
  std::vector<std::vector<uint32_t>> blocks{{}};
  std::map<Tier, std::vector<uint32_t>> others;
  for (size_t k = 0; k < order.size(); ++k) {
    if (k < alone)
      blocks.push_back({order[k]});
    else
      others[table.kernels[order[k]].tier].push_back(order[k]);
  }
  for (auto& [tier, kernels] : others) blocks.push_back(std::move(kernels));
  return blocks;
}

MeterBlock measure_meter_block(Device& device, const KernelTable& table, const std::vector<uint32_t>& kernels,
                               double iteration_s, std::span<MeterRecord> meters,
                               const ReadingWindow& window) {
  MeterBlock block{.kernels = kernels};
  const bool on_gpu = !device.info().can_time_between_launches;
  try {
    if (block.is_whole())
      measure_whole(device, iteration_s, meters, window, block);
    else if (on_gpu && kernels.size() > 1)
      measure_difference(device, launches_of(table, kernels), meters, window, block);
    else
      measure_kernels(device, launches_of_run(table, kernels, on_gpu), on_gpu, meters, window, block);
    block.begin_ns = block.with.front().begin_ns;
    block.end_ns = block.with.back().end_ns;
  } catch (const DeviceError& error) {
    if (error.lost) throw;
    block = {.kernels = kernels, .error = error.what()};
  }
  return block;
}

}  // namespace kjoule
