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

/// A block for a power meter: the launches of some kernels in the order of the iteration, or the whole
/// iteration, repeated back to back for so long that the meter has readings of it.
struct MeterBlock {
  static constexpr const char* kKind = "meter_block";

  std::vector<uint32_t> kernels;  ///< indices in the kernel table; empty for the whole iteration
  int64_t runs = 0;               ///< number of repeats of all these launches between begin_ns and end_ns
  double each_s = 0;              ///< time of one run
  int64_t begin_ns = 0, end_ns = 0;
  std::string error;  ///< why the kernels could not be replayed; there are no times then

  bool is_whole() const { return kernels.empty(); }
};

template <class Fields>
void describe(Fields& fields, MeterBlock& block) {
  fields("kernels", block.kernels);
  fields.unless_empty("error", block.error);
  fields.unless_empty("runs", block.runs);
  fields.unless_empty("each_s", block.each_s);
  fields.unless_empty("begin_ns", block.begin_ns);
  fields.unless_empty("end_ns", block.end_ns);
}

/// Returns the kernels of each block. The first block has none, for the whole iteration. It is followed by a
/// block for each of the `alone` kernels with the largest `total_s`, and by a block for the remaining kernels
/// of each tier. Kernels with a total of 0 are omitted.
std::vector<std::vector<uint32_t>> meter_blocks(const KernelTable& table, const std::vector<double>& total_s,
                                                size_t alone);

/// Repeats the launches of one block for `window.settle_s` seconds of warm-up, and then for `window.span_s`
/// seconds, which are the block. The meters are read at the same time. On a GPU, the first launch of a kernel
/// is repeated in place of its other launches. `iteration_s` is the approximate time of an iteration. If the
/// launches fail, the result has an `error`. Throws DeviceError only if the device is lost.
MeterBlock measure_meter_block(Device& device, const KernelTable& table, const std::vector<uint32_t>& kernels,
                               double iteration_s, std::span<MeterRecord> meters,
                               const ReadingWindow& window);

}  // namespace kjoule
