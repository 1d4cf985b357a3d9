#include "power/load_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

/// Units without load before the code and after it.
constexpr int kQuiet = 3;
constexpr double kNsPerS = 1e9;
/// The least share of the power's variance that the best fit must explain, and the least ratio of this share
/// to that of the best other offset.
constexpr double kLeastExplained = 0.4, kLeastAhead = 1.25;
constexpr size_t kFewestReadings = 12;
constexpr double kStepsInShortest = 6;  ///< steps of the coarse search in the shortest period of the pattern
constexpr int kFineSteps = 400;         ///< steps of the fine search to each side
constexpr const char* kPatternRemedy =
    "log again while nothing else runs, or state the clock offset with --offset SECONDS";
constexpr const char* kReadingsRemedy =
    "log with a faster meter, or state the clock offset with --offset SECONDS";

/// The load as a function of time, and its integral.
class Load {
 public:
  explicit Load(const LoadPattern& pattern) : begin_ns_(pattern.begin_ns) {
    double on_s = 0, before_s = 0;
    bool on = false;
    for (const LoadEdge& edge : pattern.edges) {
      const double at_s = since_begin_s(edge.unix_ns);
      if (on) on_s += at_s - before_s;
      on = edge.begins;
      before_s = at_s;
      corners_.push_back({at_s, on_s, on});
    }
  }
  double since_begin_s(int64_t unix_ns) const { return static_cast<double>(unix_ns - begin_ns_) / kNsPerS; }
  /// Returns the mean load, from 0 to 1, in the `span_s` seconds before `to_s`.
  double mean(double to_s, double span_s) const {
    if (span_s <= 0) return at(to_s);
    return (until(to_s) - until(to_s - span_s)) / span_s;
  }
  double shortest_s() const {
    double shortest_s = std::numeric_limits<double>::infinity();
    for (size_t c = 1; c < corners_.size(); ++c)
      shortest_s = std::min(shortest_s, corners_[c].at_s - corners_[c - 1].at_s);
    return shortest_s;
  }

 private:
  struct Corner {
    double at_s, on_s;  ///< the corner's time, and the seconds with load before it
    bool on;            ///< whether the load is on after the corner
  };
  const Corner* last_before(double at_s) const {
    const auto after =
        std::upper_bound(corners_.begin(), corners_.end(), at_s,
                         [](double time_s, const Corner& corner) { return time_s < corner.at_s; });
    return after == corners_.begin() ? nullptr : &*std::prev(after);
  }
  double at(double at_s) const {
    const Corner* corner = last_before(at_s);
    return corner != nullptr && corner->on ? 1 : 0;
  }
  double until(double at_s) const {
    const Corner* corner = last_before(at_s);
    if (corner == nullptr) return 0;
    return corner->on_s + (corner->on ? at_s - corner->at_s : 0);
  }

  int64_t begin_ns_;
  std::vector<Corner> corners_;
};

/// A reading, with its time on the log's clock in seconds after the pattern's begin.
struct Reading {
  double at_s, watts;
};

/// A least-squares line of power over load: the share of the variance that it explains, and the sum of its
/// squared residuals.
struct Line {
  size_t readings = 0;
  double slope_w = 0, explained = 0, residual = 0;
};

Line fit(const std::vector<Reading>& readings, const Load& load, double averaging_s, double offset_s) {
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  const double n = static_cast<double>(readings.size());
  for (const Reading& reading : readings) {
    const double on = load.mean(reading.at_s + offset_s, averaging_s);
    x += on;
    y += reading.watts;
    xx += on * on;
    xy += on * reading.watts;
    yy += reading.watts * reading.watts;
  }
  Line line{.readings = readings.size()};
  const double of_x = xx - x * x / n, of_xy = xy - x * y / n, of_y = yy - y * y / n;
  line.residual = of_y;
  if (readings.size() < kFewestReadings || of_x <= 0 || of_y <= 0) return line;
  line.slope_w = of_xy / of_x;
  if (line.slope_w <= 0) return line;  // a load does not lower the power
  line.explained = of_xy * of_xy / of_x / of_y;
  line.residual = of_y * (1 - line.explained);
  return line;
}

/// The search for the offset in one log.
class Search {
 public:
  Search(const std::vector<PowerSeries::Sample>& samples, const LoadPattern& pattern, double averaging_s)
      : load_(pattern), averaging_s_(averaging_s), length_s_(load_.since_begin_s(pattern.end_ns)) {
    for (const PowerSeries::Sample& sample : samples)
      all_.push_back({load_.since_begin_s(sample.unix_ns), sample.watts});
  }

  ClockOffset find(double around_s, double search_s, size_t edges) const {
    const double step_s = load_.shortest_s() / kStepsInShortest;
    const double rough_s = best_of_grid(around_s, search_s, step_s);
    const std::vector<Reading> readings = within(rough_s);
    double best_s = rough_s;
    Line best;
    for (int i = -kFineSteps; i <= kFineSteps; ++i) {
      const double offset_s = rough_s + 2 * step_s * i / kFineSteps;
      const Line line = fit(readings, load_, averaging_s_, offset_s);
      if (i > -kFineSteps && line.residual >= best.residual) continue;
      best = line;
      best_s = offset_s;
    }
    const double of_scatter_s = half_width(readings, best_s, best, 2 * step_s / kFineSteps);
    const double of_readings_s = 2 * interval_s(readings) / std::sqrt(12 * static_cast<double>(edges));
    return {{best_s, std::hypot(of_scatter_s, of_readings_s)}, best.slope_w};
  }

 private:
  /// Returns the readings within the pattern at this offset, except those that average over its begin.
  std::vector<Reading> within(double offset_s) const {
    const auto less = [](const Reading& reading, double at_s) { return reading.at_s < at_s; };
    const auto first = std::lower_bound(all_.begin(), all_.end(), averaging_s_ - offset_s, less);
    const auto last = std::lower_bound(first, all_.end(), length_s_ - offset_s, less);
    return {first, last};
  }

  double best_of_grid(double around_s, double search_s, double step_s) const {
    struct Try {
      double offset_s, explained;
    };
    std::vector<Try> tries;
    const double steps = std::ceil(search_s / step_s);
    for (double i = -steps; i <= steps; ++i) {
      const double offset_s = around_s + i * step_s;
      tries.push_back({offset_s, fit(within(offset_s), load_, averaging_s_, offset_s).explained});
    }
    const Try best = *std::max_element(tries.begin(), tries.end(),
                                       [](const Try& a, const Try& b) { return a.explained < b.explained; });
    double other = 0;
    for (const Try& one : tries)
      if (std::abs(one.offset_s - best.offset_s) > load_.shortest_s()) other = std::max(other, one.explained);
    if (best.explained < kLeastExplained || best.explained < kLeastAhead * other)
      throw Error(
          fmt::format("the load pattern is not found in the log (at the best offset, {:.3f} s, it explains "
                      "{:.0f} % of the power's variance, at the second-best offset {:.0f} %)",
                      best.offset_s, 100 * best.explained, 100 * other),
          kPatternRemedy);
    return best.offset_s;
  }

  /// Returns the distance from the best offset at which the residuals rise significantly.
  double half_width(const std::vector<Reading>& readings, double best_s, const Line& best,
                    double step_s) const {
    const double degrees = static_cast<double>(readings.size()) - 3;
    const double t = student_t95(degrees);
    const double limit = best.residual * (1 + t * t / degrees);
    double farthest_s = 0;
    for (const int way : {-1, 1}) {
      double apart_s = step_s;
      while (apart_s < load_.shortest_s() &&
             fit(readings, load_, averaging_s_, best_s + way * apart_s).residual <= limit)
        apart_s += step_s;
      farthest_s = std::max(farthest_s, apart_s);
    }
    return farthest_s;
  }

  static double interval_s(const std::vector<Reading>& readings) {
    std::vector<double> steps_s;
    for (size_t r = 1; r < readings.size(); ++r) steps_s.push_back(readings[r].at_s - readings[r - 1].at_s);
    return steps_s.empty() ? 0 : median(steps_s);
  }

  Load load_;
  double averaging_s_, length_s_;
  std::vector<Reading> all_;
};

}  // namespace

std::vector<LoadPeriod> load_periods() {
  // Barker's code of length 13: + + + + + - - + + - + - +
  return {{false, kQuiet}, {true, 5},  {false, 2}, {true, 2},      {false, 1},
          {true, 1},       {false, 1}, {true, 1},  {false, kQuiet}};
}

ClockOffset find_offset(const std::vector<PowerSeries::Sample>& samples, const LoadPattern& pattern,
                        double averaging_s, double around_s, double search_s) {
  if (pattern.edges.size() < 2 || samples.size() < kFewestReadings)
    throw Error("the load pattern is not found in the log, which has too few readings", kReadingsRemedy);
  return Search(samples, pattern, averaging_s).find(around_s, search_s, pattern.edges.size());
}

}  // namespace kjoule
