#include "measure/time/half_of_places.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "measure/time/stamp_places.hpp"

namespace kjoule {

namespace {

double time_of(const std::vector<LaunchIndex>& places, const std::vector<double>& seconds) {
  double sum = 0;
  for (const LaunchIndex place : places) sum += seconds.at(place);
  return sum;
}

/// A random half of a kernel's places, and the other half.
struct Halves {
  std::vector<LaunchIndex> first, second;
};

Halves draw_halves(std::vector<LaunchIndex> places, uint64_t seed) {
  std::mt19937_64 words(seed);
  for (size_t left = places.size(); left > 1; --left)
    std::swap(places[left - 1], places[draw_below(words, left)]);
  const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
  return {{places.begin(), middle}, {middle, places.end()}};
}

struct Errors {
  double measured_s = 0, difference_s = 0, distance_s = 0;

  void add(double predicted, double measured) {
    measured_s += measured;
    difference_s += predicted - measured;
    distance_s += std::abs(predicted - measured);
  }
};

double predict(const std::vector<LaunchIndex>& from, size_t count, const std::vector<double>& seconds) {
  return time_of(from, seconds) / static_cast<double>(from.size()) * static_cast<double>(count);
}

}  // namespace

std::optional<HalfOfPlaces> test_halves(const KernelTable& table, const std::vector<double>& predicting_s,
                                        const std::vector<double>& measured_s) {
  Errors errors;
  double once_s = 0;
  for (size_t k = 0; k < table.kernels.size(); ++k) {
    const std::vector<LaunchIndex>& places = table.kernels[k].places;
    if (places.size() < 2) {
      once_s += time_of(places, measured_s);
      continue;
    }
    const Halves halves = draw_halves(places, k);
    errors.add(predict(halves.first, halves.second.size(), predicting_s), time_of(halves.second, measured_s));
    errors.add(predict(halves.second, halves.first.size(), predicting_s), time_of(halves.first, measured_s));
  }
  if (!(errors.measured_s > 0)) return std::nullopt;
  const double all_s = std::accumulate(measured_s.begin(), measured_s.end(), 0.0);
  return HalfOfPlaces{errors.distance_s / errors.measured_s, errors.difference_s / errors.measured_s,
                      once_s / all_s};
}

}  // namespace kjoule
