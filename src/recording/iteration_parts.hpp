#pragma once
#include <cstdint>
#include <optional>

#include "recording/run_sums.hpp"

namespace kjoule {

/// The parts into which the time of the program's own iteration divides, in ns: means over consecutive
/// iterations, computed from CUPTI's records and the host's calls. A time in which several parts overlap
/// counts only for the part that comes first in the order of the members. So the parts from `kernels_ns` on
/// add up to `span_ns`.
struct IterationParts {
  uint64_t iterations = 0;
  /// Time from the begin of an iteration's first operation to the begin of the next iteration's first
  /// operation.
  double span_ns = 0;
  double kernels_ns = 0;        ///< time in which at least one kernel runs
  double device_copies_ns = 0;  ///< time of copies within the device, and of memsets
  double transfers_ns = 0;      ///< time of copies between the device and page-locked memory
  /// Time of copies between the device and pageable memory. It includes the host's time in the calls of these
  /// copies, because in these calls the host copies the data from or to memory of the driver.
  double staged_ns = 0;
  double gaps_ns = 0;  ///< the rest, in which the device waits for launches

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

/// Returns the mean parts of `iterations` consecutive iterations, whose launches are `launches`. Returns
/// nothing if the log lacks the begin time of the first of these launches, or of the launch that follows
/// them.
std::optional<IterationParts> parts_of_iterations(const RunSums& sums, LaunchRange launches,
                                                  uint64_t iterations);

}  // namespace kjoule
