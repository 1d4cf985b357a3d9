#include "layers/expected_cost.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/error.hpp"
#include "base/process/progress.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

namespace {

/// Number of iterations that the shortest measurement in context on a CPU runs, first runs of layers
/// included: 2 of the program's own, 3 for recording and verification, 3 for the plan of rounds, 11 in two
/// rounds.
constexpr double kFewestIterations = 20;
/// Duration of a measurement, s, from which the user is warned.
constexpr double kLong_s = 60;

std::optional<LeastTime> least_time(const Layer& layer, const Roof& roof) {
  return least_time(layer.kind, layer.flops(), static_cast<double>(layer.bytes), roof);
}

}  // namespace

double least_memory_bytes(const Network& network) {
  double bytes = 0;
  for (const Layer& layer : network.layers)
    bytes += static_cast<double>(std::max(layer.bytes, bytes_of(layer.call)));
  return bytes;
}

void refuse_too_large(const Network& network, double available_bytes) {
  const double needed = least_memory_bytes(network);
  if (needed <= available_bytes) return;
  throw Error(
      fmt::format("{} needs at least {:.1f} GB of memory on the CPU, but only {:.1f} GB are available",
                  network.name, needed * 1e-9, available_bytes * 1e-9),
      "choose a smaller --batch or smaller sizes (--size; --list shows them), or a GPU "
      "(--device cuda)");
}

double least_iteration_s(const Network& network, const Roof& roof) {
  double sum_s = 0;
  for (const Layer& layer : network.layers)
    if (const auto least = least_time(layer, roof)) sum_s += least->seconds;
  return sum_s;
}

std::vector<double> layer_shares(const Network& network, const std::optional<Roof>& roof) {
  const double all_s = roof ? least_iteration_s(network, *roof) : 0;
  const double each = 1 / static_cast<double>(network.layers.size());
  std::vector<double> shares;
  for (const Layer& layer : network.layers) {
    const auto least = roof && all_s > 0 ? least_time(layer, *roof) : std::nullopt;
    shares.push_back(all_s > 0 ? (least ? least->seconds / all_s : 0) : each);
  }
  return shares;
}

std::string long_measurement_text(const Network& network, const ExpectedIteration& iteration) {
  const double measurement_s = kFewestIterations * iteration.seconds;
  if (measurement_s < kLong_s) return "";
  double flops = 0;
  for (const Layer& layer : network.layers) flops += layer.flops();
  const char* about = iteration.is_least ? "at least" : "about";
  return fmt::format(
      "one iteration of {} takes {} {} on this CPU ({:.4g} GFLOP, {:.1f} GB of memory), and its measurement "
      "{} {}; a smaller --batch, smaller sizes (--size; --list shows them) or a GPU (--device cuda) take "
      "less",
      network.name, about, duration_text(iteration.seconds), flops * 1e-9, least_memory_bytes(network) * 1e-9,
      about, duration_text(measurement_s));
}

}  // namespace kjoule
