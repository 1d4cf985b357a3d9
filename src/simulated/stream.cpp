#include "simulated/stream.hpp"

#include <algorithm>

#include "simulated/random.hpp"

namespace kjoule {
namespace {

constexpr double stamp_s = 1e-6;       // least cost of a stamp between two launches
constexpr double copy_gap_s = 0.5e-6;  // mean gap of a launch

/// Returns the ranges of all launches, launch by launch; of each launch, those read precede those written.
std::vector<ByteRange> all_ranges(const SimulatedProgram& program) {
  std::vector<ByteRange> ranges;
  for (const SimulatedLaunch& launch : program.launches) {
    ranges.insert(ranges.end(), launch.reads.begin(), launch.reads.end());
    ranges.insert(ranges.end(), launch.writes.begin(), launch.writes.end());
  }
  return ranges;
}

std::vector<ByteRange> all_written(const SimulatedProgram& program) {
  std::vector<ByteRange> ranges;
  for (const SimulatedLaunch& launch : program.launches)
    ranges.insert(ranges.end(), launch.writes.begin(), launch.writes.end());
  return ranges;
}

}  // namespace

SimulatedStream::SimulatedStream(const SimulatedProgram& program)
    : cache_(program.machine.cache_bytes, all_ranges(program)),
      written_bytes_(distinct_bytes(all_written(program))),
      hit_s_a_byte_(1 / program.machine.hit_bytes_per_s),
      extra_miss_s_a_byte_(1 / program.machine.miss_bytes_per_s - hit_s_a_byte_),
      hit_j_a_byte_(program.power.hit_byte_j),
      extra_miss_j_a_byte_(program.power.miss_byte_j - hit_j_a_byte_),
      busy_w_(program.power.busy_w),
      drain_s_(program.spec.can_time_between_launches ? 0 : program.machine.drain_s) {
  uint32_t range = 0;
  for (const SimulatedLaunch& launch : program.launches) {
    const double flops_s = launch.flops / program.machine.flops_per_s;
    Cost cost{.compute_s = std::max(program.machine.shortest_s, flops_s),
              .flops_s = flops_s,
              .flops_j = launch.flops * program.power.flop_j,
              .first_range = range,
              .kernel = launch.kernel + 1};
    for (const ByteRange& bytes : launch.reads) cost.bytes += bytes.size();
    for (const ByteRange& bytes : launch.writes) cost.bytes += bytes.size();
    range += static_cast<uint32_t>(launch.reads.size() + launch.writes.size());
    cost.last_range = range;
    cost.first_written = range - static_cast<uint32_t>(launch.writes.size());
    cost.written_bytes = distinct_bytes(launch.writes);
    kernels_ = std::max(kernels_, size_t{cost.kernel} + 1);
    costs_.push_back(cost);
  }
  set_gaps(program.spec.seed);
}

void SimulatedStream::set_gaps(uint64_t seed) {
  gap_s_.resize(kernels_ * kernels_);
  second_gap_s_.resize(kernels_ * kernels_);
  drained_gap_s_.resize(kernels_ * kernels_);
  for (uint32_t before = 0; before < kernels_; ++before) {
    for (uint32_t kernel = 1; kernel < kernels_; ++kernel) {
      const uint64_t hash = mix(seed, before, kernel);
      gap_s_[pair(before, kernel)] = -0.4e-6 + 1.8e-6 * fraction(mix(hash, 1));
      if (before != 0) second_gap_s_[pair(before, kernel)] = 0.2e-6 * fraction(mix(hash, 2)) - 0.1e-6;
      drained_gap_s_[pair(before, kernel)] = drain_s_ + 1e-6 * fraction(mix(hash, 3));
    }
  }
}

void SimulatedStream::reset() {
  cache_.clear();
  before_ = second_before_ = 0;
}

SimulatedStream::Parts SimulatedStream::parts(const Cost& cost, double gap_s) {
  uint64_t missed = 0;
  for (uint32_t range = cost.first_range; range < cost.last_range; ++range) missed += cache_.touch(range);
  const double memory_s =
      static_cast<double>(cost.bytes) * hit_s_a_byte_ + static_cast<double>(missed) * extra_miss_s_a_byte_;
  const double body_s = std::max(cost.compute_s, memory_s);
  return {.gap_s = gap_s,
          .body_s = body_s,
          .compute_bound = body_s == cost.flops_s,
          .compute_j = cost.flops_j + busy_w_ * body_s,
          .memory_j = static_cast<double>(cost.bytes) * hit_j_a_byte_ +
                      static_cast<double>(missed) * extra_miss_j_a_byte_};
}

SimulatedStream::Parts SimulatedStream::replay_launch(LaunchIndex launch) {
  const Cost& cost = costs_[launch];
  const double gap_s = gap_s_[pair(before_, cost.kernel)] + second_gap_s_[pair(second_before_, cost.kernel)];
  second_before_ = before_;
  before_ = cost.kernel;
  return parts(cost, gap_s);
}

SimulatedStream::Parts SimulatedStream::replay_drained(LaunchIndex launch) {
  const Cost& cost = costs_[launch];
  const double gap_s = drained_gap_s_[pair(before_, cost.kernel)];
  // A launch before the drain does not affect the gap of the launch after this one.
  second_before_ = 0;
  before_ = cost.kernel;
  return parts(cost, gap_s);
}

SimulatedStream::Parts SimulatedStream::replay_after_stamp(LaunchIndex launch) {
  const Cost& cost = costs_[launch];
  const double gap_s = stamp_s + drained_gap_s_[pair(before_, cost.kernel)] - drain_s_;
  second_before_ = before_;
  before_ = cost.kernel;
  return parts(cost, gap_s);
}

SimulatedStream::Parts SimulatedStream::copy_instead(LaunchIndex launch) {
  second_before_ = before_;
  before_ = costs_[launch].kernel;
  return copy_over(launch);
}

SimulatedStream::Parts SimulatedStream::copy_over(LaunchIndex launch) {
  const Cost& cost = costs_[launch];
  uint64_t missed = 0;
  for (uint32_t range = cost.first_written; range < cost.last_range; ++range) missed += cache_.touch(range);
  return copy(cost.written_bytes, missed);
}

SimulatedStream::Parts SimulatedStream::restore() {
  before_ = second_before_ = 0;
  return copy(written_bytes_, 0);
}

SimulatedStream::Parts SimulatedStream::flush() {
  before_ = second_before_ = 0;
  cache_.clear();
  return copy(cache_.capacity_bytes(), 0);
}

SimulatedStream::Parts SimulatedStream::copy(uint64_t bytes, uint64_t missed) {
  const double touched = 2 * static_cast<double>(bytes);
  const auto from_memory = static_cast<double>(bytes + missed);
  const double body_s = touched * hit_s_a_byte_ + from_memory * extra_miss_s_a_byte_;
  return {.gap_s = copy_gap_s,
          .body_s = body_s,
          .compute_bound = false,
          .compute_j = busy_w_ * body_s,
          .memory_j = touched * hit_j_a_byte_ + from_memory * extra_miss_j_a_byte_};
}

std::vector<SimulatedStream::Parts> replay_to_steady_state(SimulatedStream& stream, LaunchIndex launches) {
  // The cache reaches its steady state in the first iteration; the second one is a margin.
  for (int iteration = 0; iteration < 2; ++iteration)
    for (LaunchIndex i = 0; i < launches; ++i) stream.replay_launch(i);
  std::vector<SimulatedStream::Parts> costs;
  for (LaunchIndex i = 0; i < launches; ++i) costs.push_back(stream.replay_launch(i));
  return costs;
}

}  // namespace kjoule
