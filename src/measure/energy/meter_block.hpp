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

/// Kernels whose launches are repeated back to back, in the order of the iteration, for so long that a power
/// meter reads their power; or the whole iteration.
struct MeterBlock {
  static constexpr const char* kKind = "meter_block";

  std::vector<uint32_t> kernels;  ///< indices in the kernel table; empty for the whole iteration
  int64_t runs = 0;               ///< runs of all launches of these kernels between begin_ns and end_ns
  double each_s = 0;              ///< time of one run
  int64_t begin_ns = 0, end_ns = 0;
  std::string error;  ///< why the kernels could not be replayed; the row then contains no times

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

/// Returns the kernels of each block: first none, for the whole iteration, then one for each of the `alone`
/// kernels with the largest `total_s`, then the others by tier. Kernels with a total of 0 are omitted.
std::vector<std::vector<uint32_t>> meter_blocks(const KernelTable& table, const std::vector<double>& total_s,
                                                size_t alone);

/// Repeats the launches of one block for `window.settle_s` and then for `window.span_s` seconds; the latter
/// are the block. The meters are read meanwhile. On a GPU, the first launch of a kernel is repeated in place
/// of the others. `iteration_s` is the approximate time of an iteration. If the launches fail, the result has
/// an `error`. Throws DeviceError only if the device is lost.
MeterBlock measure_meter_block(Device& device, const KernelTable& table, const std::vector<uint32_t>& kernels,
                               double iteration_s, std::span<MeterRecord> meters,
                               const ReadingWindow& window);

}  // namespace kjoule
