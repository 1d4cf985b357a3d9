#include "prediction/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kjoule {

namespace {

constexpr int kReweightings = 3;
constexpr size_t kSpillsTried = 24;          ///< number of spill sizes that are tried
constexpr double kErrorThatIsWorthIt = 0.5;  ///< largest error with a spill, as a share of the error without
constexpr double kSmallError = 0.01;         ///< relative error below which the weight no longer increases
constexpr double kLeast = 1e-9;              ///< least prediction, in us or J

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

/// Returns the numbers that the coefficients are multiplied by: 1, the FLOPs, the streams, and for the spill
/// the number of all elements if it is above `spills_from`, otherwise 0.
Vector parts_of(const OperatorWork& work, double spills_from) {
  Vector parts{1, work.flops};
  parts.insert(parts.end(), work.streams.begin(), work.streams.end());
  const double elements = work.elements();
  parts.push_back(elements > spills_from ? elements : 0);
  return parts;
}

/// Solves the normal equations for the `free` columns by Gauss-Jordan elimination. The other columns are 0.
Vector solve(const Matrix& gram, const Vector& right, const std::vector<char>& free) {
  std::vector<size_t> columns;
  for (size_t c = 0; c < free.size(); ++c)
    if (free[c]) columns.push_back(c);
  const size_t n = columns.size();
  Matrix a(n, Vector(n + 1));
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) a[i][j] = gram[columns[i]][columns[j]];
    a[i][i] *= 1 + 1e-12;  // for columns that are multiples of each other
    a[i][n] = right[columns[i]];
  }
  for (size_t i = 0; i < n; ++i) {
    size_t pivot = i;
    for (size_t r = i + 1; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]);
    for (size_t r = 0; r < n; ++r) {
      if (r == i || a[i][i] == 0) continue;
      const double factor = a[r][i] / a[i][i];
      for (size_t c = i; c <= n; ++c) a[r][c] -= factor * a[i][c];
    }
  }
  Vector x(free.size());
  for (size_t i = 0; i < n; ++i) x[columns[i]] = a[i][i] == 0 ? 0 : a[i][n] / a[i][i];
  return x;
}

/// Moves x towards `wanted` until a free column reaches 0, and then fixes this column at 0. Returns true if x
/// has reached `wanted`.
bool step(Vector& x, const Vector& wanted, std::vector<char>& free) {
  double share = 1;
  size_t blocks = free.size();
  for (size_t c = 0; c < free.size(); ++c) {
    if (!free[c] || wanted[c] > 0) continue;
    const double reach = x[c] - wanted[c] > 0 ? x[c] / (x[c] - wanted[c]) : 0;
    if (reach < share || blocks == free.size()) {
      share = std::min(share, reach);
      blocks = c;
    }
  }
  for (size_t c = 0; c < free.size(); ++c) x[c] += share * (wanted[c] - x[c]);
  if (blocks == free.size()) return true;
  x[blocks] = 0;
  free[blocks] = 0;
  return false;
}

}  // namespace

Vector non_negative_least_squares(const Matrix& rows, const Vector& b) {
  const size_t n = rows.front().size();
  Matrix gram(n, Vector(n));
  Vector right(n), x(n);
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t i = 0; i < n; ++i) {
      right[i] += rows[r][i] * b[r];
      for (size_t j = 0; j < n; ++j) gram[i][j] += rows[r][i] * rows[r][j];
    }
  std::vector<char> free(n);
  for (size_t turn = 0; turn < 10 * n; ++turn) {
    size_t steepest = n;
    double most = 1e-10;
    for (size_t c = 0; c < n; ++c) {
      if (free[c] || gram[c][c] == 0) continue;
      double slope = right[c];
      for (size_t j = 0; j < n; ++j) slope -= gram[c][j] * x[j];
      slope /= std::sqrt(gram[c][c] * static_cast<double>(rows.size()));
      if (slope > most) {
        most = slope;
        steepest = c;
      }
    }
    if (steepest == n) break;
    free[steepest] = 1;
    while (!step(x, solve(gram, right, free), free)) {
    }
  }
  return x;
}

namespace {

/// Returns the sizes at which a spill may begin: between the sizes of neighbouring samples.
Vector places_of_spills(const std::vector<OperatorWork>& works) {
  Vector sizes, places;
  for (const OperatorWork& work : works) sizes.push_back(work.elements());
  std::sort(sizes.begin(), sizes.end());
  for (size_t part = 1; part <= kSpillsTried; ++part) {
    const size_t at = sizes.size() * part / (kSpillsTried + 1);
    if (at > 0 && sizes[at - 1] < sizes[at]) places.push_back(std::sqrt(sizes[at - 1] * sizes[at]));
  }
  return places;
}

double mean_error(const Roofline& roofline, const std::vector<OperatorWork>& works, const Vector& costs) {
  double sum = 0;
  for (size_t r = 0; r < works.size(); ++r) sum += std::abs(roofline.predict(works[r]) / costs[r] - 1);
  return sum / static_cast<double>(works.size());
}

Roofline fit_with_spill(const std::vector<OperatorWork>& works, const Vector& costs, double spills_from) {
  Matrix parts;
  for (const OperatorWork& work : works) parts.push_back(parts_of(work, spills_from));
  Vector largest(parts.front().size());
  for (const Vector& row : parts)
    for (size_t c = 0; c < row.size(); ++c) largest[c] = std::max(largest[c], row[c]);
  for (size_t r = 0; r < parts.size(); ++r)
    for (size_t c = 0; c < largest.size(); ++c)
      parts[r][c] = largest[c] > 0 ? parts[r][c] / largest[c] / costs[r] : 0;
  Vector weights(parts.size(), 1), x;
  for (int turn = 0; turn <= kReweightings; ++turn) {
    Matrix weighted = parts;
    for (size_t r = 0; r < parts.size(); ++r)
      for (double& part : weighted[r]) part *= weights[r];
    x = non_negative_least_squares(weighted, weights);
    for (size_t r = 0; r < parts.size(); ++r) {
      double predicted = 0;
      for (size_t c = 0; c < x.size(); ++c) predicted += parts[r][c] * x[c];
      weights[r] = 1 / std::sqrt(std::max(std::abs(predicted - 1), kSmallError));
    }
  }
  for (size_t c = 0; c < x.size(); ++c) x[c] = largest[c] > 0 ? x[c] / largest[c] : 0;
  const Roofline::Spill spill{spills_from, x.back()};
  x.pop_back();
  return Roofline(x, spill.each > 0 ? std::optional(spill) : std::nullopt);
}

}  // namespace

Roofline Roofline::fit(const std::vector<OperatorWork>& works, const Vector& costs) {
  Roofline best = fit_with_spill(works, costs, std::numeric_limits<double>::infinity());
  double least = kErrorThatIsWorthIt * mean_error(best, works, costs);
  for (const double from : places_of_spills(works)) {
    Roofline other = fit_with_spill(works, costs, from);
    const double error = mean_error(other, works, costs);
    if (error >= least) continue;
    least = error;
    best = std::move(other);
  }
  return best;
}

Roofline::Parts Roofline::parts(const OperatorWork& work) const {
  Parts parts{coefficients_[0], coefficients_[1] * work.flops, 0};
  for (size_t s = 0; s < work.streams.size(); ++s) parts.memory += coefficients_[s + 2] * work.streams[s];
  if (spill_ && work.elements() > spill_->elements) parts.memory += spill_->each * work.elements();
  return parts;
}

double Roofline::predict(const OperatorWork& work) const {
  const Parts all = parts(work);
  return std::max(all.fixed + all.compute + all.memory, kLeast);
}

}  // namespace kjoule
