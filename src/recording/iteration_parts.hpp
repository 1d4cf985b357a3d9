#pragma once
#include <cstdint>
#include <optional>

#include "recording/run_sums.hpp"

namespace kjoule {

/// How the time of an iteration divides into parts while the program runs by itself: means over consecutive
/// iterations, in ns, from the device's records and the host's calls. When several parts overlap in time,
/// only the first of them (in the order of the members) counts, so that the parts add up to `span_ns`.
struct IterationParts {
  uint64_t iterations = 0;
  double span_ns = 0;           ///< from the begin of an iteration's first operation to the next iteration's
  double kernels_ns = 0;        ///< at least one kernel runs
  double device_copies_ns = 0;  ///< copies within the device, and memsets
  double transfers_ns = 0;      ///< copies between the device and page-locked memory
  /// Copies between the device and pageable memory. The time of their calls counts, too, because the host
  /// copies the data from or to memory of the driver in them.
  double staged_ns = 0;
  double gaps_ns = 0;  ///< none of the other parts: the device waits for launches

  bool operator==(const IterationParts&) const = default;
};
template <class Fields>
void describe(Fields& fields, IterationParts& parts) {
  fields("iterations", parts.iterations);
  fields("span_ns", parts.span_ns);
  fields("kernels_ns", parts.kernels_ns);
  fields("device_copies_ns", parts.device_copies_ns);
  fields("transfers_ns", parts.transfers_ns);
  fields("staged_ns", parts.staged_ns);
  fields("gaps_ns", parts.gaps_ns);
}

/// Returns the mean parts of consecutive iterations: `launches` contains the launches of all `iterations` of
/// them. Returns nothing if the log lacks the begin of the first launch or of the launch after the last.
std::optional<IterationParts> parts_of_iterations(const RunSums& sums, LaunchRange launches,
                                                  uint64_t iterations);

}  // namespace kjoule
