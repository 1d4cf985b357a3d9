#include "power/integrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "power/logs/sample_order.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// The time between two readings, in median times between readings, beyond which it is a gap.
constexpr double kGapFactor = 3;
/// The fewest readings in a window for which an energy is computed. With one reading, the energy would depend
/// mainly on the readings around the window.
constexpr size_t kLeastSamples = 2;
/// The largest share of a window in which the meter may be silent or frozen.
constexpr double kLargestGapShare = 0.5;
constexpr double kSilence_s = 3;
constexpr double kSilenceShare = 0.25;  ///< of the window
/// Smaller changes of power are rounding of the numbers in the log.
constexpr double kNoChange_w = 1e-9;
/// The half-width of the range that contains 95 % of a normal distribution, in standard deviations.
constexpr double kNormal95 = 1.96;

double seconds(int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

int64_t nanoseconds(double s) {
  return std::llround(s * 1e9);
}

double square(double x) {
  return x * x;
}

/// Returns the largest of 1, 0.1, ... 0.0001 W of which all readings are multiples, or 0 if there is none.
double decimal_step_w(const std::vector<PowerSeries::Sample>& samples) {
  constexpr double kFinest = 1e4, kRounding = 1e-6;
  double per_step = 1;
  for (const PowerSeries::Sample& sample : samples)
    while (std::abs(sample.watts * per_step - std::nearbyint(sample.watts * per_step)) > kRounding)
      if ((per_step *= 10) > kFinest) return 0;
  return samples.empty() ? 0 : 1 / per_step;
}

/// A log with bursts of readings has at least this share of pauses among its intervals, and at least this
/// number of pauses. Nine tenths of the pauses are at most kPauseSpread times as long as the shortest tenth.
constexpr double kLeastPauses = 0.04, kPauseSpread = 1.5;
constexpr size_t kFewestPauses = 4;

/// Returns the longest time between two readings that is no gap, s: three times the median interval or, if
/// the logger regularly pauses between bursts of readings, 1.5 times the pause.
double longest_no_gap_s(const std::vector<PowerSeries::Sample>& samples, double median_s) {
  const double limit_s = kGapFactor * median_s;
  std::vector<double> pauses;
  for (size_t s = 1; s < samples.size(); ++s)
    if (const double interval_s = seconds(samples[s].unix_ns - samples[s - 1].unix_ns); interval_s > limit_s)
      pauses.push_back(interval_s);
  if (pauses.size() < kFewestPauses ||
      static_cast<double>(pauses.size()) < kLeastPauses * static_cast<double>(samples.size()))
    return limit_s;
  std::sort(pauses.begin(), pauses.end());
  const double shortest = pauses[pauses.size() / 10],
               longest = pauses[pauses.size() - 1 - pauses.size() / 10];
  const bool is_regular = longest <= kPauseSpread * shortest && longest < kSilence_s;
  return is_regular ? std::max(limit_s, kPauseSpread * longest) : limit_s;
}

}  // namespace

double WindowEnergy::silent_s() const {
  double seconds = 0;
  for (const PowerWindow& gap : gaps) seconds += gap.seconds();
  return seconds;
}

bool WindowEnergy::silent() const {
  const bool long_gap = std::any_of(gaps.begin(), gaps.end(),
                                    [](const PowerWindow& gap) { return gap.seconds() >= kSilence_s; });
  return long_gap || (!gaps.empty() && silent_s() >= kSilenceShare * window.seconds());
}

PowerCurve::PowerCurve(const PowerSeries& series, const MeterLag& lag, double clock_error_s)
    : series_(&series),
      lag_(lag),
      clock_error_s_(clock_error_s),
      sample_interval_s_(median_interval_s(series.samples)),
      gap_limit_s_(longest_no_gap_s(series.samples, sample_interval_s_)),
      power_step_w_(decimal_step_w(series.samples)) {
  const bool whole_seconds =
      std::all_of(series.samples.begin(), series.samples.end(),
                  [](const auto& sample) { return sample.unix_ns % 1'000'000'000 == 0; });
  time_step_s_ = whole_seconds ? 1 : 0;
}

size_t PowerCurve::first_at_or_after(int64_t unix_ns) const {
  const auto& samples = series_->samples;
  return static_cast<size_t>(
      std::lower_bound(samples.begin(), samples.end(), unix_ns,
                       [](const PowerSeries::Sample& sample, int64_t ns) { return sample.unix_ns < ns; }) -
      samples.begin());
}

double PowerCurve::at(int64_t unix_ns) const {
  const auto& samples = series_->samples;
  const size_t after = std::min(first_at_or_after(unix_ns), samples.size() - 1);
  const PowerSeries::Sample& b = samples[after];
  if (b.unix_ns <= unix_ns || after == 0) return b.watts;
  const PowerSeries::Sample& a = samples[after - 1];
  return a.watts + (b.watts - a.watts) * (seconds(unix_ns - a.unix_ns) / seconds(b.unix_ns - a.unix_ns));
}

std::string PowerCurve::uncovered(PowerWindow window) const {
  const auto& samples = series_->samples;
  if (window.end_ns <= window.begin_ns) return "the window has no length";
  if (samples.empty()) return series_->name + " has no reading";
  const int64_t first = samples.front().unix_ns, last = samples.back().unix_ns;
  if (window.end_ns < first || window.begin_ns > last)
    return fmt::format("its time is outside the log, whose readings are from {} to {}",
                       local_timestamp(first), local_timestamp(last));
  const auto [begin_s, end_s] = bridged_s(window);
  if (begin_s > kBridgedIntervals * sample_interval_s_)
    return fmt::format("it begins {:.3f} s before the log's first reading ({})", begin_s,
                       local_timestamp(first));
  if (end_s > kBridgedIntervals * sample_interval_s_)
    return fmt::format("it ends {:.3f} s after the log's last reading ({})", end_s, local_timestamp(last));
  return {};
}

std::pair<double, double> PowerCurve::bridged_s(PowerWindow window) const {
  const auto& samples = series_->samples;
  return {seconds(std::max<int64_t>(0, samples.front().unix_ns - window.begin_ns)),
          seconds(std::max<int64_t>(0, window.end_ns - samples.back().unix_ns))};
}

double PowerCurve::range_w(int64_t begin_ns, int64_t end_ns) const {
  const auto& samples = series_->samples;
  double low = at(begin_ns), high = low;
  const auto take = [&](double watts) {
    low = std::min(low, watts);
    high = std::max(high, watts);
  };
  take(at(end_ns));
  for (size_t i = first_at_or_after(begin_ns); i < samples.size() && samples[i].unix_ns <= end_ns; ++i)
    take(samples[i].watts);
  return high - low;
}

double PowerCurve::change_w(int64_t edge_ns) const {
  const auto& samples = series_->samples;
  const int64_t reach_ns = nanoseconds(lag_.averaging_s + lag_.delay_s + sample_interval_s_);
  const double before = range_w(edge_ns - reach_ns, edge_ns), after = range_w(edge_ns, edge_ns + reach_ns);
  // Where the log has no readings, a change is not seen.
  const bool seen_before = samples.front().unix_ns <= edge_ns - reach_ns;
  const bool seen_after = edge_ns + reach_ns <= samples.back().unix_ns;
  if (seen_before == seen_after) return seen_before ? std::min(before, after) : std::max(before, after);
  return seen_before ? before : after;
}

double PowerCurve::lag_joules(PowerWindow window) const {
  const double lag_s = lag_.averaging_s / 2 + lag_.delay_s;
  if (lag_s <= 0) return 0;
  return lag_s * (std::abs(at(window.end_ns) - at(window.begin_ns)) + change_w(window.begin_ns) +
                  change_w(window.end_ns));
}

double PowerCurve::clock_joules(int64_t edge_ns) const {
  const double error_s = clock_error_s_ + std::max(time_step_s_ / 2, lag_.time_error_s);
  if (error_s <= 0) return 0;
  const int64_t reach_ns = nanoseconds(std::max(error_s, time_step_s_));
  return error_s * range_w(edge_ns - reach_ns, edge_ns + reach_ns);
}

PowerWindow PowerCurve::frozen_period(PowerWindow window, size_t first, size_t last) const {
  const auto& samples = series_->samples;
  first -= std::min(first, kFewSamples);
  last = std::min(last + kFewSamples, samples.size());
  PowerWindow longest{window.begin_ns, window.begin_ns};
  for (size_t begin = first, end = first; begin < last; begin = end) {
    while (end < last && std::abs(samples[end].watts - samples[begin].watts) <= kNoChange_w) ++end;
    if (end - begin < kFewSamples) continue;
    const PowerWindow equal{std::max(window.begin_ns, samples[begin].unix_ns),
                            std::min(window.end_ns, samples[end - 1].unix_ns)};
    if (equal.seconds() > longest.seconds()) longest = equal;
  }
  return longest;
}

void PowerCurve::integrate(WindowEnergy& result, size_t first, size_t last) const {
  const auto& samples = series_->samples;
  const PowerWindow window = result.window;
  double joules = 0, noise = 0, others = 0;
  PowerSeries::Sample before{window.begin_ns, at(window.begin_ns)};
  // The interpolated edges are included: they may be the only values that show the power within a gap.
  double low = before.watts, high = low;
  std::vector<double> gaps_s;
  for (size_t i = first; i <= last; ++i) {
    const PowerSeries::Sample here =
        i < last ? samples[i] : PowerSeries::Sample{window.end_ns, at(window.end_ns)};
    const double interval_s = seconds(here.unix_ns - before.unix_ns);
    joules += interval_s * (before.watts + here.watts) / 2;
    low = std::min(low, here.watts);
    high = std::max(high, here.watts);
    // An interval at an edge is only a part of the time between two readings; that whole time decides whether
    // the interval is a gap.
    const bool gap =
        i > 0 && i < samples.size() && seconds(samples[i].unix_ns - samples[i - 1].unix_ns) > gap_limit_s_;
    if (gap && interval_s > 0) {
      result.gaps.push_back({before.unix_ns, here.unix_ns});
      gaps_s.push_back(interval_s);
    } else {
      noise += square((here.watts - before.watts) * interval_s) / 2;
    }
    before = here;
  }
  for (const double length_s : gaps_s) others += square((high - low) * length_s / 2);
  const auto [begin_s, end_s] = bridged_s(window);
  result.bridged_s = begin_s + end_s;
  result.bridged_j = std::hypot(begin_s * at(window.begin_ns), end_s * at(window.end_ns));
  others += square(result.bridged_j);
  others += square(lag_joules(window));
  others += square(clock_joules(window.begin_ns)) + square(clock_joules(window.end_ns));
  others += square(power_step_w_ / 2 * window.seconds());
  result.joules = Interval{joules, std::sqrt(square(kNormal95) * noise + others)};
  result.average_w = joules / window.seconds();
}

WindowEnergy PowerCurve::energy(PowerWindow window) const {
  WindowEnergy result;
  result.window = window;
  result.sample_interval_s = sample_interval_s_;
  const auto& samples = series_->samples;
  const size_t first = first_at_or_after(window.begin_ns), last = first_at_or_after(window.end_ns + 1);
  result.samples = last - std::min(first, last);
  result.missing = uncovered(window);
  if (!result.missing.empty()) return result;
  if (result.samples < kLeastSamples) {
    result.missing = fmt::format("the log has {} in its {:.6g} s (it has one every {:.3g} s)",
                                 result.samples == 1 ? "only one reading" : "no reading", window.seconds(),
                                 sample_interval_s_);
    return result;
  }
  const auto [low, high] =
      std::minmax_element(samples.begin() + static_cast<std::ptrdiff_t>(first),
                          samples.begin() + static_cast<std::ptrdiff_t>(last),
                          [](const auto& a, const auto& b) { return a.watts < b.watts; });
  result.min_w = low->watts;
  result.peak_w = high->watts;
  result.few_samples = result.samples < kFewSamples;
  const PowerWindow frozen = frozen_period(window, first, last);
  result.frozen = frozen.seconds() > kLargestGapShare * window.seconds();
  if (result.frozen) {
    result.missing = fmt::format("the meter stood still for {:.3f} s of its {:.3f} s, reading {:.6g} W",
                                 frozen.seconds(), window.seconds(), at(frozen.begin_ns));
    return result;
  }
  integrate(result, first, last);
  if (result.silent_s() > kLargestGapShare * window.seconds()) {
    result.missing =
        fmt::format("there is no reading in {:.6g} of its {:.6g} s", result.silent_s(), window.seconds());
    result.joules.reset();
  }
  return result;
}

namespace {

/// Sets peak and minimum of the summed power at the times of all readings in the window.
void set_extremes(const std::vector<PowerCurve>& curves, WindowEnergy& total) {
  bool first = true;
  for (const PowerCurve& curve : curves) {
    const auto& samples = curve.series().samples;
    auto sample = std::lower_bound(samples.begin(), samples.end(), total.window.begin_ns,
                                   [](const auto& s, int64_t ns) { return s.unix_ns < ns; });
    for (; sample != samples.end() && sample->unix_ns <= total.window.end_ns; ++sample) {
      double watts = 0;
      for (const PowerCurve& other : curves) watts += other.at(sample->unix_ns);
      total.peak_w = first ? watts : std::max(total.peak_w, watts);
      total.min_w = first ? watts : std::min(total.min_w, watts);
      first = false;
    }
  }
}

/// Returns the periods in which at least one meter has a gap.
std::vector<PowerWindow> joined(std::vector<PowerWindow> gaps) {
  std::sort(gaps.begin(), gaps.end(), [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  std::vector<PowerWindow> all;
  for (const PowerWindow& gap : gaps) {
    if (all.empty() || gap.begin_ns > all.back().end_ns)
      all.push_back(gap);
    else
      all.back().end_ns = std::max(all.back().end_ns, gap.end_ns);
  }
  return all;
}

}  // namespace

WindowEnergy total_energy(const std::vector<PowerCurve>& curves, PowerWindow window) {
  if (curves.size() == 1) return curves.front().energy(window);
  WindowEnergy total;
  total.window = window;
  if (curves.empty()) total.missing = "no meter";
  double joules = 0, squares = 0;
  for (const PowerCurve& curve : curves) {
    WindowEnergy one = curve.energy(window);
    total.samples = &curve == &curves.front() ? one.samples : std::min(total.samples, one.samples);
    total.sample_interval_s = std::max(total.sample_interval_s, one.sample_interval_s);
    total.few_samples = total.few_samples || one.few_samples;
    total.bridged_s = std::max(total.bridged_s, one.bridged_s);
    total.frozen = total.frozen || one.frozen;
    total.gaps.insert(total.gaps.end(), one.gaps.begin(), one.gaps.end());
    if (!one.joules) {
      if (total.missing.empty()) total.missing = curve.series().name + ": " + one.missing;
      continue;
    }
    joules += one.joules->value;
    squares += square(one.joules->half_width) - square(one.bridged_j);
    total.bridged_j += one.bridged_j;  // the work changes the power of all meters
  }
  total.gaps = joined(std::move(total.gaps));
  if (!total.missing.empty()) return total;
  total.joules = Interval{joules, std::sqrt(squares + square(total.bridged_j))};
  total.average_w = joules / window.seconds();
  set_extremes(curves, total);
  return total;
}

}  // namespace kjoule
