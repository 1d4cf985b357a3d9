#include "measure/stamped_whole.hpp"

#include "measure/graph_length.hpp"
#include "measure/played.hpp"
#include "measure/statistics.hpp"

namespace kjoule {

namespace {

constexpr int kPlaysOfWhole = 9;

/// Some iterations to warm the caches, then a stretch of `iterations` and one of twice as many.
Stamped two_stretches(const std::vector<LaunchIndex>& order, uint32_t iterations) {
  const auto length = static_cast<uint32_t>(order.size());
  const uint32_t lead = lead_iterations(length);
  Stamped work;
  for (uint32_t i = 0; i < lead + 3 * iterations; ++i)
    work.launches.insert(work.launches.end(), order.begin(), order.end());
  for (const uint32_t done : {lead, lead + iterations, lead + 3 * iterations})
    work.after.push_back(done * length - 1);
  return work;
}

double time_iteration(Device& device, const std::vector<LaunchIndex>& order, uint32_t iterations) {
  const auto track = device.open(two_stretches(order, iterations));
  play(*track, 1);
  const std::vector<double> seconds = play(*track, kPlaysOfWhole).seconds;
  std::vector<double> differences;
  for (size_t i = 0; i < seconds.size(); i += 2) differences.push_back(seconds[i + 1] - seconds[i]);
  return median(differences) / iterations;
}

}  // namespace

double time_undisturbed_whole(Device& device, const TimedIteration& iteration) {
  const std::vector<LaunchIndex> order = iteration.order();
  const double first_s = time_iteration(device, order, 1);
  const uint32_t iterations = iterations_to_time(first_s, order.size());
  return iterations == 1 ? first_s : time_iteration(device, order, iterations);
}

}  // namespace kjoule
