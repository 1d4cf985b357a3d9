#include "prediction/shape_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "base/numbers/statistics.hpp"
#include "prediction/operator_model.hpp"

namespace kjoule {

namespace {

constexpr size_t kReserved = 5;  ///< one of so many shapes is random
/// The shapes are spread among so many times as many most uncertain ones, so that they are not all the same.
constexpr size_t kUncertainForEach = 3;

/// Returns the logarithms of the features and of the work, each divided by its standard deviation.
std::vector<std::vector<double>> places_of(const OperatorKind& kind,
                                           const std::vector<std::vector<double>>& sweep) {
  std::vector<std::vector<double>> places;
  for (const auto& shape : sweep) {
    const OperatorWork work = kind.work(shape);
    std::vector<double> place;
    for (const double feature : work.features) place.push_back(std::log(feature));
    place.push_back(std::log(work.amount()));
    places.push_back(std::move(place));
  }
  for (size_t f = 0; !places.empty() && f < places.front().size(); ++f) {
    std::vector<double> column;
    for (const auto& place : places) column.push_back(place[f]);
    const double spread = standard_deviation(column);
    for (auto& place : places) place[f] = spread > 0 ? place[f] / spread : 0;
  }
  return places;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

/// Shapes that are measured or chosen, and the distance of every shape from the nearest of them.
struct ShapeChoice::Taken {
  const std::vector<std::vector<double>>& places;
  std::vector<char> is_taken;
  std::vector<double> nearest;

  explicit Taken(const std::vector<std::vector<double>>& all)
      : places(all), is_taken(all.size()), nearest(all.size(), std::numeric_limits<double>::infinity()) {}

  void take(size_t shape) {
    is_taken[shape] = 1;
    for (size_t other = 0; other < places.size(); ++other)
      nearest[other] = std::min(nearest[other], squared_distance(places[shape], places[other]));
  }
  /// Takes the shape of `among` that is farthest from those taken. Returns it, or the number of all shapes if
  /// none is left.
  size_t take_farthest(const std::vector<size_t>& among) {
    size_t farthest = places.size();
    for (const size_t shape : among)
      if (!is_taken[shape] && (farthest == places.size() || nearest[shape] > nearest[farthest]))
        farthest = shape;
    if (farthest < places.size()) take(farthest);
    return farthest;
  }
};

ShapeChoice::ShapeChoice(const OperatorKind& kind, std::vector<std::vector<double>> sweep, unsigned seed)
    : kind_(kind),
      sweep_(std::move(sweep)),
      places_(places_of(kind, sweep_)),
      random_order_(sweep_.size()),
      seed_(seed) {
  std::iota(random_order_.begin(), random_order_.end(), size_t{0});
  std::shuffle(random_order_.begin(), random_order_.end(), std::mt19937(seed));
}

std::vector<size_t> ShapeChoice::reserved(size_t total) const {
  const size_t count = std::min((total + kReserved - 1) / kReserved, random_order_.size());
  return {random_order_.begin(), random_order_.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::vector<double> ShapeChoice::uncertainties(const std::map<size_t, std::vector<double>>& measured) const {
  std::vector<double> sums(sweep_.size());
  size_t directions = 0;  // shapes that could not be measured have none
  for (const auto& [shape, all] : measured) directions = std::max(directions, all.size());
  for (size_t direction = 0; direction < directions; ++direction) {
    std::vector<std::vector<double>> shapes;
    std::vector<double> costs;
    for (const auto& [shape, all] : measured) {
      if (all.size() <= direction) continue;
      shapes.push_back(sweep_[shape]);
      costs.push_back(all[direction]);
    }
    if (shapes.size() < OperatorModel::kFewestRows) continue;
    const std::vector<double> one = OperatorModel::disagreements(kind_, shapes, costs, sweep_, seed_);
    for (size_t shape = 0; shape < sums.size(); ++shape) sums[shape] += one[shape];
  }
  return sums;
}

std::vector<size_t> ShapeChoice::next_batch(const std::map<size_t, std::vector<double>>& measured,
                                            size_t left) const {
  constexpr size_t kSmallestBatch = 10;
  const size_t at_once = measured.size() < kFewestForModels ? kFewestForModels - measured.size()
                                                            : std::max(kSmallestBatch, (left + 2) / 3);
  return next(measured, std::min(left, at_once));
}

std::vector<size_t> ShapeChoice::next(const std::map<size_t, std::vector<double>>& measured,
                                      size_t count) const {
  Taken taken(places_);
  for (const auto& [shape, costs] : measured) taken.take(shape);
  std::vector<size_t> chosen;
  for (const size_t shape : reserved(measured.size() + count)) {
    if (chosen.size() == count || taken.is_taken[shape]) continue;
    taken.take(shape);
    chosen.push_back(shape);
  }
  std::vector<size_t> among(sweep_.size());
  std::iota(among.begin(), among.end(), size_t{0});
  if (measured.size() >= kFewestForModels) {
    const std::vector<double> uncertain = uncertainties(measured);
    among.erase(
        std::remove_if(among.begin(), among.end(), [&](size_t shape) { return taken.is_taken[shape]; }),
        among.end());
    std::stable_sort(among.begin(), among.end(),
                     [&](size_t a, size_t b) { return uncertain[a] > uncertain[b]; });
    among.resize(std::min(among.size(), kUncertainForEach * count));
  }
  while (chosen.size() < count) {
    const size_t shape = taken.take_farthest(among);
    if (shape == sweep_.size()) break;
    chosen.push_back(shape);
  }
  return chosen;
}

}  // namespace kjoule
