#include "prediction/suspicious_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/numbers/statistics.hpp"
#include "base/text/counted.hpp"
#include "prediction/noise_floor.hpp"

namespace kjoule {

namespace {

const double kLeastLimit = std::log(1.1);  ///< smaller distances are not suspicious, as a logarithm
constexpr double kLimitInDeviations = 5;   ///< limit of the distance from neighbours, in standard deviations
constexpr double kDeviationsOfMedian = 1.4826;  ///< standard deviation of a median absolute deviation of 1
constexpr double kLargestAlignment = 128;       ///< elements; larger powers of two change nothing

using Values = std::vector<double>;
/// Suspicious rows by their numbers.
using Found = std::map<size_t, SuspiciousRow>;

/// Returns the largest power of two, up to 128, that divides a whole number; 1 for other numbers.
double alignment(double size) {
  double power = 1;
  while (power < kLargestAlignment && std::fmod(size, 2 * power) == 0) power *= 2;
  return power;
}

/// The rows of one table.
struct Rows {
  const OperatorKind& kind;
  const std::vector<Values>& shapes;
  const Values& costs;
  std::vector<OperatorWork> works{};
  Values logs{};
  /// Limit of the distance of two rows that scatter like replicates.
  double limit_of_pairs = kLeastLimit;

  void add(Found& found, size_t row, double expected, const std::string& reason) const {
    found.try_emplace(row, SuspiciousRow{row, costs[row], expected, reason});
  }
};

void find_above_peak(const Rows& rows, const GpuRates& rates, Found& found) {
  if (find_operator_kind(rows.kind.name) == nullptr) return;  // its elements are not known
  constexpr double kMicroseconds = 1e6;
  for (size_t r = 0; r < rows.costs.size(); ++r) {
    const OperatorWork& work = rows.works[r];
    // Every operator at least writes its first tensor once.
    const double bytes = work.flops > 0 ? 0 : work.streams.front() * rates.bytes_per_element;
    const double least_us =
        kMicroseconds * std::max(work.flops / rates.flops_per_s,
                                 std::max(0.0, bytes - rates.cache_bytes) / rates.bytes_per_s);
    if (rows.costs[r] < least_us) rows.add(found, r, least_us, "faster than the peak rates of the GPU allow");
  }
}

void find_unlike_replicates(const Rows& rows, Found& found) {
  for (const std::vector<size_t>& group : find_replicates(rows.works)) {
    Values logs;
    for (const size_t r : group) logs.push_back(rows.logs[r]);
    const double centre = median(logs);
    for (const size_t r : group)
      if (2 * std::abs(rows.logs[r] - centre) > rows.limit_of_pairs)
        rows.add(found, r, std::exp(centre),
                 fmt::format("unlike {} of the same work", counted(group.size() - 1, "other row")));
  }
}

/// Returns the features of a row, and their alignments with a minus sign, so that a row with larger numbers
/// in all places cannot be faster.
Values monotonic_sizes(const OperatorWork& work) {
  Values sizes = work.features;
  sizes.push_back(work.flops);
  sizes.insert(sizes.end(), work.streams.begin(), work.streams.end());
  for (const double feature : work.features) sizes.push_back(-alignment(feature));
  return sizes;
}

/// Pairs of rows of which the smaller one costs more.
struct Contradictions {
  std::vector<std::set<size_t>> larger;   ///< by row: larger rows that cost less
  std::vector<std::set<size_t>> smaller;  ///< by row: smaller rows that cost more
  std::vector<size_t> compared;           ///< rows that may have contradictions
  size_t count(size_t row) const { return larger[row].size() + smaller[row].size(); }

  void remove(size_t row) {
    for (const size_t other : larger[row]) smaller[other].erase(row);
    for (const size_t other : smaller[row]) larger[other].erase(row);
    larger[row].clear();
    smaller[row].clear();
  }
};

Contradictions find_contradictions(const Rows& rows) {
  const size_t count = rows.costs.size();
  std::vector<Values> sizes;
  for (const OperatorWork& work : rows.works) sizes.push_back(monotonic_sizes(work));
  std::vector<size_t> by_cost = rows_compared_with_larger_shapes(count);
  std::sort(by_cost.begin(), by_cost.end(), [&](size_t a, size_t b) { return rows.logs[a] < rows.logs[b]; });
  Contradictions found{std::vector<std::set<size_t>>(count), std::vector<std::set<size_t>>(count),
                       rows_compared_with_larger_shapes(count)};
  for (const size_t slow : by_cost)
    for (const size_t fast : by_cost) {
      if (rows.logs[fast] >= rows.logs[slow] - rows.limit_of_pairs) break;
      if (!std::equal(sizes[slow].begin(), sizes[slow].end(), sizes[fast].begin(), std::less_equal<>()))
        continue;
      found.larger[slow].insert(fast);
      found.smaller[fast].insert(slow);
    }
  return found;
}

/// Finds the rows that contradict the most other rows, until no contradiction is left. Two rows that only
/// contradict each other are both suspicious.
void find_not_monotonic(const Rows& rows, Found& found) {
  Contradictions pairs = find_contradictions(rows);
  const auto extreme = [&](const std::set<size_t>& others, bool least) {
    Values costs;
    for (const size_t other : others) costs.push_back(rows.costs[other]);
    return least ? *std::min_element(costs.begin(), costs.end())
                 : *std::max_element(costs.begin(), costs.end());
  };
  const auto add = [&](size_t row) {
    const std::set<size_t>&larger = pairs.larger[row], &smaller = pairs.smaller[row];
    if (larger.size() >= smaller.size())
      rows.add(found, row, extreme(larger, true),
               fmt::format("more than {}", counted(larger.size(), "larger shape")));
    else
      rows.add(found, row, extreme(smaller, false),
               fmt::format("less than {}", counted(smaller.size(), "smaller shape")));
  };
  for (;;) {
    size_t worst = pairs.compared.front();
    for (const size_t r : pairs.compared)
      if (pairs.count(r) > pairs.count(worst)) worst = r;
    if (pairs.count(worst) == 0) return;
    const bool is_single_pair = pairs.count(worst) == 1;
    const size_t other = !is_single_pair               ? worst
                         : pairs.larger[worst].empty() ? *pairs.smaller[worst].begin()
                                                       : *pairs.larger[worst].begin();
    add(worst);
    if (is_single_pair) add(other);
    pairs.remove(worst);
  }
}

/// Returns for each row the distances of its logarithm from the line through the next smaller and the next
/// larger size, for each column in which it has both while the other sizes are equal.
std::vector<Values> distances_from_neighbours(const Rows& rows) {
  std::vector<Values> distances(rows.costs.size());
  for (size_t column = 0; column < rows.kind.columns.size(); ++column) {
    std::map<Values, std::map<double, std::vector<size_t>>> lines;
    for (size_t r = 0; r < rows.costs.size(); ++r) {
      Values others = rows.shapes[r];
      others[column] = 0;
      lines[others][rows.shapes[r][column]].push_back(r);
    }
    for (const auto& [others, line] : lines) {
      if (line.size() < 3) continue;
      const auto centre = [&](const std::vector<size_t>& same) {
        Values logs;
        for (const size_t r : same) logs.push_back(rows.logs[r]);
        return median(logs);
      };
      for (auto at = std::next(line.begin()); std::next(at) != line.end(); ++at) {
        const auto before = std::prev(at), after = std::next(at);
        if (before->first <= 0) continue;
        const double share = std::log(at->first / before->first) / std::log(after->first / before->first);
        const double expected = (1 - share) * centre(before->second) + share * centre(after->second);
        for (const size_t r : at->second) distances[r].push_back(rows.logs[r] - expected);
      }
    }
  }
  return distances;
}

/// Returns the number of columns with at least two sizes.
size_t varied_columns(const Rows& rows) {
  size_t count = 0;
  for (size_t column = 0; column < rows.kind.columns.size(); ++column)
    count += std::any_of(rows.shapes.begin(), rows.shapes.end(),
                         [&](const Values& shape) { return shape[column] != rows.shapes.front()[column]; });
  return count;
}

/// Finds rows that are above all lines through their neighbours, or below all of them.
void find_unlike_neighbours(const Rows& rows, Found& found) {
  const size_t fewest_lines = std::min<size_t>(varied_columns(rows), 2);
  const std::vector<Values> distances = distances_from_neighbours(rows);
  constexpr size_t kFewestRows = 10;
  Values typical;
  for (const Values& of_row : distances)
    if (!of_row.empty()) typical.push_back(std::abs(median(of_row)));
  if (typical.size() < kFewestRows) return;
  const double limit = std::max(kLeastLimit, kLimitInDeviations * kDeviationsOfMedian * median(typical));
  for (size_t r = 0; r < distances.size(); ++r) {
    const Values& all = distances[r];
    if (all.empty() || all.size() < fewest_lines) continue;
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    const double nearest = *least > 0 ? *least : *most < 0 ? *most : 0;
    if (std::abs(nearest) > limit)
      rows.add(found, r, std::exp(rows.logs[r] - nearest),
               fmt::format("{} the next smaller and larger shapes suggest",
                           nearest > 0 ? "more than" : "less than"));
  }
}

}  // namespace

std::vector<size_t> rows_compared_with_larger_shapes(size_t count) {
  constexpr size_t kMostCompared = 20'000;  // their pairs are compared in seconds
  const size_t compared = std::min(count, kMostCompared);
  std::vector<size_t> rows;
  for (size_t i = 0; i < compared; ++i) rows.push_back(i * count / compared);
  return rows;
}

double SuspiciousRow::deviation() const {
  return std::max(measured / expected, expected / measured);
}

std::vector<SuspiciousRow> find_suspicious_rows(const OperatorKind& kind, const std::vector<Values>& shapes,
                                                const Values& costs, const std::optional<GpuRates>& rates) {
  Rows rows{kind, shapes, costs};
  for (const Values& shape : shapes) rows.works.push_back(kind.work(shape));
  for (const double cost : costs) rows.logs.push_back(std::log(cost));
  if (const auto noise = find_noise_floor(rows.works, costs))
    rows.limit_of_pairs = std::max(kLeastLimit, 2 * noise->distance_90_log);
  Found found;
  if (rates) find_above_peak(rows, *rates, found);
  find_unlike_replicates(rows, found);
  if (kind.columns != collective_columns()) find_not_monotonic(rows, found);
  find_unlike_neighbours(rows, found);
  std::vector<SuspiciousRow> sorted;
  for (auto& [row, suspicious] : found) sorted.push_back(std::move(suspicious));
  std::stable_sort(sorted.begin(), sorted.end(), [](const SuspiciousRow& a, const SuspiciousRow& b) {
    return a.deviation() > b.deviation();
  });
  return sorted;
}

}  // namespace kjoule
