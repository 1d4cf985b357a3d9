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
  throw Error(
      "the log has several readings with the same time: they are of several devices, or their times are too "
      "coarse",
      "log a column that names the device (nvidia-smi: index), and times with milliseconds");
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
