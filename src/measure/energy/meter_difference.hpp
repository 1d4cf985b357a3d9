#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/isolated/isolated_reading.hpp"
#include "measure/meters/meter_record.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// A block of iterations that were repeated back to back while power meters were read. Memory is restored
/// after each iteration.
struct MeterIterations {
  int64_t runs = 0;   ///< number of iterations between begin_ns and end_ns
  double each_s = 0;  ///< time of one iteration, restoring memory included
  int64_t begin_ns = 0, end_ns = 0;
  std::string start_timestamp{}, end_timestamp{};  ///< local times of begin_ns and end_ns
};

template <class Fields>
void describe(Fields& fields, MeterIterations& iterations) {
  fields("runs", iterations.runs);
  fields("each_s", iterations.each_s);
  fields("begin_ns", iterations.begin_ns);
  fields("end_ns", iterations.end_ns);
  fields("start_timestamp", iterations.start_timestamp);
  fields("end_timestamp", iterations.end_timestamp);
}

/// Kernels whose energy is the difference between iterations with and without their launches. On a GPU,
/// launches of several kernels cannot be repeated back to back, because memory would not have the contents
/// that each needs.
struct MeterDifference {
  static constexpr const char* kKind = "meter_difference";

  std::vector<uint32_t> kernels;  ///< indices in the kernel table
  std::vector<MeterIterations> with{}, without{};
  int64_t begin_ns = 0, end_ns = 0;
  std::string error{};  ///< why the iterations could not be replayed; `with` and `without` are then empty
};

template <class Fields>
void describe(Fields& fields, MeterDifference& difference) {
  fields("kernels", difference.kernels);
  fields.unless_empty("error", difference.error);
  fields("with", difference.with);
  fields("without", difference.without);
  fields.unless_empty("begin_ns", difference.begin_ns);
  fields.unless_empty("end_ns", difference.end_ns);
}

/// Repeats iterations with all launches of `kernels` for `window.span_s` seconds, without them for twice this
/// time, and with them for `window.span_s` seconds again, so that a steady drift of the temperature cancels.
/// Each block is preceded by `window.settle_s` seconds of warm-up. The meters are read at the same time.
/// SteadyWork describes how launches are left out. If the launches fail, the result has an `error`. Throws
/// DeviceError only if the device is lost. The result has no timestamps.
MeterDifference measure_meter_difference(Device& device, const KernelTable& table,
                                         const std::vector<uint32_t>& kernels, std::span<MeterRecord> meters,
                                         const ReadingWindow& window);

}  // namespace kjoule
