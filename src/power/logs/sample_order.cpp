#include "power/logs/sample_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

using Samples = std::vector<PowerSeries::Sample>;

/// The longest time by which a line may be late in a log that was written once.
constexpr int64_t kLongestDelay_ns = 5'000'000'000;
/// Fewer samples do not show whether their times come in groups.
constexpr size_t kLeastToJudge = 6;
/// The quantile of the intervals that is the time between groups, for groups of up to 20 samples.
constexpr double kLongShare = 0.95;
/// Intervals within a group are at most the time between groups divided by this.
constexpr int64_t kShortDivisor = 3;
/// The least share of all intervals that are within a group.
constexpr double kLeastShort = 0.25;
/// The largest share of all intervals that are neither within a group nor between groups.
constexpr double kMostBetween = 0.05;
/// The least share of groups that have the same number of samples, if the samples are of several devices.
constexpr double kLeastAlike = 0.6;
/// Samples of several devices in a group are at least this many times closer to each other than groups are.
constexpr int64_t kDevicesDivisor = 10;
/// By how much devices differ: the share of the scatter within groups that the place in the group explains,
/// and the difference between places as a share of the power.
struct Difference {
  double explained = 0, of_power = 0;
};
/// Groups that may as well be bursts of one device are those of several devices if their places differ this
/// much.
constexpr Difference kLeastOfGroups{0.1, 0.005};
/// Readings with equal times may as well have coarse times.
constexpr Difference kLeastOfEqualTimes{0.5, 0.02};
/// Places of one device seem to explain a share of the scatter that is one over the number of groups.
constexpr double kChances = 4;
/// The most samples of a group that are judged: one of each device.
constexpr size_t kMostDevices = 64;
/// Fewer groups do not show whether devices differ.
constexpr size_t kLeastGroups = 3;

/// A part of a log whose times do not step back by more than kLongestDelay_ns.
struct Segment {
  int64_t begin_ns = 0, end_ns = 0;
};

std::vector<Segment> segments_of(const Samples& samples) {
  std::vector<Segment> segments;
  for (const PowerSeries::Sample& sample : samples) {
    if (segments.empty() || sample.unix_ns < segments.back().end_ns - kLongestDelay_ns)
      segments.push_back({sample.unix_ns, sample.unix_ns});
    Segment& last = segments.back();
    last.begin_ns = std::min(last.begin_ns, sample.unix_ns);
    last.end_ns = std::max(last.end_ns, sample.unix_ns);
  }
  return segments;
}

void refuse_overlap(const Samples& samples) {
  std::vector<Segment> segments = segments_of(samples);
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.begin_ns < b.begin_ns; });
  for (size_t s = 1; s < segments.size(); ++s) {
    const Segment& before = segments[s - 1];
    const Segment& here = segments[s];
    if (here.begin_ns < before.end_ns)
      throw Error(
          fmt::format("the times of the log step back, so that the time from {} to {} occurs twice",
                      local_timestamp(here.begin_ns), local_timestamp(std::min(here.end_ns, before.end_ns))),
          "give each log as a file of its own; if clocks were set back in another time zone, name that zone: "
          "TZ=ZONE kjoule ..");
  }
}

/// The groups of sorted samples between which the time is longer than within them.
class SampleGroups {
 public:
  SampleGroups(const Samples& samples, int64_t longest_within_ns) : samples_(samples) {
    for (size_t s = 0; s < samples.size(); ++s)
      if (s == 0 || samples[s].unix_ns - samples[s - 1].unix_ns > longest_within_ns) begins_.push_back(s);
    begins_.push_back(samples.size());
  }

  /// Returns the number of samples that at least kLeastAlike of the groups have, or 0 if there is none. The
  /// first and the last group may be incomplete, so they do not count.
  size_t common_size() const {
    std::vector<size_t> counts(kMostDevices + 1);
    size_t groups = 0;
    for (size_t g = 1; g + 2 < begins_.size(); ++g, ++groups) ++counts[std::min(size_of(g), kMostDevices)];
    const auto most = std::max_element(counts.begin(), counts.end());
    if (groups == 0) return begins_.size() > 2 && size_of(0) == size_of(1) ? size_of(0) : 0;
    const bool alike = static_cast<double>(*most) >= kLeastAlike * static_cast<double>(groups);
    return alike ? static_cast<size_t>(most - counts.begin()) : 0;
  }

  /// Returns whether the powers of the groups with `size` samples depend on the place in the group.
  bool devices_differ(size_t size, const Difference& least) const {
    std::vector<double> sums(size);
    double scatter = 0, power = 0, groups = 0;
    for (size_t g = 0; g + 1 < begins_.size(); ++g) {
      if (size_of(g) != size) continue;
      double mean = 0;
      for (size_t p = 0; p < size; ++p) mean += samples_[begins_[g] + p].watts / static_cast<double>(size);
      for (size_t p = 0; p < size; ++p) {
        const double from_mean = samples_[begins_[g] + p].watts - mean;
        sums[p] += from_mean;
        scatter += from_mean * from_mean;
      }
      power += mean;
      ++groups;
    }
    if (groups < kLeastGroups || scatter == 0) return false;
    double explained = 0;
    for (const double sum : sums) explained += sum * sum / groups;
    const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
    return explained >= std::max(least.explained, kChances / groups) * scatter &&
           *high - *low >= least.of_power * power;
  }

 private:
  size_t size_of(size_t group) const { return begins_[group + 1] - begins_[group]; }

  const Samples& samples_;
  std::vector<size_t> begins_;  ///< the first sample of each group, and the number of samples
};

constexpr const char* kDeviceRemedy =
    "log a column that names the device (nvidia-smi: index), and times with milliseconds; if all readings "
    "are "
    "of one device, give --device-column none";

}  // namespace

size_t sort_samples(Samples& samples) {
  size_t late = 0;
  int64_t latest_ns = INT64_MIN;
  for (const PowerSeries::Sample& sample : samples) {
    if (sample.unix_ns < latest_ns) ++late;
    latest_ns = std::max(latest_ns, sample.unix_ns);
  }
  if (late == 0) return 0;
  refuse_overlap(samples);
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.unix_ns < b.unix_ns; });
  return late;
}

void check_one_device(const Samples& samples) {
  if (samples.size() < kLeastToJudge) return;
  std::vector<int64_t> intervals(samples.size() - 1);
  for (size_t i = 0; i < intervals.size(); ++i) intervals[i] = samples[i + 1].unix_ns - samples[i].unix_ns;
  std::sort(intervals.begin(), intervals.end());
  const auto all = static_cast<double>(intervals.size());
  const int64_t long_ns = intervals[static_cast<size_t>(kLongShare * all)];
  const auto up_to = [&](int64_t ns) {
    return static_cast<double>(std::upper_bound(intervals.begin(), intervals.end(), ns) - intervals.begin());
  };
  const double within = up_to(long_ns / kShortDivisor);
  const double between = up_to(long_ns - long_ns / kShortDivisor) - within;
  if (long_ns == 0 || within < kLeastShort * all || between > kMostBetween * all) return;
  const SampleGroups groups(samples, long_ns / kShortDivisor);
  const size_t size = groups.common_size();
  const int64_t short_ns = intervals[static_cast<size_t>(within / 2)];
  if (size < 2 || (short_ns > long_ns / kDevicesDivisor && !groups.devices_differ(size, kLeastOfGroups)))
    return;
  throw Error(
      "the log has several readings with the same time: they are of several devices, or their times are too "
      "coarse",
      kDeviceRemedy);
}

void check_equal_times(const Samples& samples) {
  if (samples.size() < kLeastToJudge) return;
  const SampleGroups groups(samples, 0);
  const size_t size = groups.common_size();
  if (size < 2 || size >= kMostDevices || !groups.devices_differ(size, kLeastOfEqualTimes)) return;
  throw Error(fmt::format("the log has {} readings of the same device with each time, which differ in their "
                          "powers: they are of several devices",
                          size),
              kDeviceRemedy);
}

double median_interval_s(const Samples& samples) {
  if (samples.size() < 2) return 0;
  std::vector<int64_t> intervals(samples.size() - 1);
  for (size_t i = 0; i < intervals.size(); ++i) intervals[i] = samples[i + 1].unix_ns - samples[i].unix_ns;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  return static_cast<double>(*middle) * 1e-9;
}

size_t join_samples(Samples& samples) {
  size_t kept = 0;
  for (size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    double watts = 0;
    for (end = begin; end < samples.size() && samples[end].unix_ns == samples[begin].unix_ns; ++end)
      watts += samples[end].watts;
    samples[kept++] = {samples[begin].unix_ns,
                       end == begin + 1 ? watts : watts / static_cast<double>(end - begin)};
  }
  const size_t joined = samples.size() - kept;
  samples.resize(kept);
  return joined;
}

}  // namespace kjoule
