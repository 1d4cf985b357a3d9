#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// One kernel repeated back to back, as a benchmark of that kernel in isolation would measure it.
struct IsolatedKernel {
  static constexpr const char* kKind = "isolated";

  uint32_t kernel = 0;  ///< index in the kernel table
  int runs = 0;         ///< number of timed launches
  double single_s = 0;  ///< typical time of one launch: the mean, in which outliers count as a limit value
  /// Begin and end of the block, which contains the timed launches and the launches that precede them.
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  /// Why the kernel could not be replayed; there are then no times. Empty if the kernel was replayed.
  std::string error;
};

template <class Fields>
void describe(Fields& fields, IsolatedKernel& kernel) {
  fields("kernel", kernel.kernel);
  fields.unless_empty("error", kernel.error);
  fields.unless_empty("runs", kernel.runs);
  fields.unless_empty("single_s", kernel.single_s);
  fields.unless_empty("begin_ns", kernel.begin_ns);
  fields.unless_empty("end_ns", kernel.end_ns);
}

/// Times the first launch of a kernel, repeated back to back in one contiguous block of at least `block_s`
/// seconds. On a GPU, each repeat of the block begins with the launches that precede this launch in the
/// iteration.
///
/// If the launch fails, the result has an `error`. Throws DeviceError only if the device is lost.
IsolatedKernel measure_isolated(Device& device, const KernelTable& table, const TimedIteration& iteration,
                                uint32_t kernel, double block_s);

}  // namespace kjoule
