#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// One kernel repeated back to back, as a benchmark of that kernel in isolation would measure it.
struct IsolatedKernel {
  static constexpr const char* kKind = "isolated";

  uint32_t kernel = 0;   ///< in the table
  int runs = 0;          ///< timed launches between begin and end
  double single_s = 0;   ///< one launch, typical of these
  int64_t begin_ns = 0;  ///< begin and end bracket the launches, and those that lead up to them
  int64_t end_ns = 0;
  std::string error;  ///< why it could not be played; the times are left out of its row then
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

/// Repeats the kernel's first launch in one contiguous block of at least `block_s` seconds, after the
/// launches that come before it in the iteration. A launch that throws gives a result with `error`; a lost
/// device throws.
IsolatedKernel measure_isolated(Device& device, const KernelTable& table, const TimedIteration& iteration,
                                uint32_t kernel, double block_s);

}  // namespace kjoule
