#pragma once
#include <optional>
#include <string>
#include <vector>

#include "device/roof.hpp"
#include "layers/layer.hpp"
#include "layers/network_result.hpp"

// What a measurement of a network needs, as far as it is known before the measurement.

namespace kjoule {

/// Returns the least memory, in bytes, in which the layers that are run have their inputs, weights and
/// results at the same time.
double least_memory_bytes(const Network& network);
/// Throws Error if a network that needs at least least_memory_bytes() cannot run on a CPU whose machine has
/// this memory available.
void refuse_too_large(const Network& network, double available_bytes);

/// Returns the least time of one iteration at the roofs, s.
double least_iteration_s(const Network& network, const Roof& roof);
/// Returns each layer's expected share of the time of one iteration.
std::vector<double> layer_shares(const Network& network, const std::optional<Roof>& roof);

/// The time of one iteration before it was measured: the time of its layers' first runs, or the least time at
/// the roofs.
struct ExpectedIteration {
  double seconds = 0;
  bool is_least = false;
};
/// Returns a warning that measuring the network in context on a CPU takes long, with the reason and a remedy;
/// empty if it takes less than a minute.
std::string long_measurement_text(const Network& network, const ExpectedIteration& iteration);

}  // namespace kjoule
