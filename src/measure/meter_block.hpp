#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/isolated_reading.hpp"
#include "measure/meter_record.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Work that is repeated for so long that a power meter reads its power.
struct MeterWork {
  std::vector<uint32_t> kernels;  ///< indices in the kernel table; empty for the whole iteration
  /// Absent: the launches of these kernels back to back, in the order of the iteration. Otherwise the whole
  /// iteration, with these launches or without them, as SteadyWork replays it with launches that are marked.
  std::optional<bool> left_out{};

  bool is_whole() const { return kernels.empty(); }
  bool operator==(const MeterWork&) const = default;
};

template <class Fields>
void describe(Fields& fields, MeterWork& work) {
  fields("kernels", work.kernels);
  fields("left_out", work.left_out);
}

/// Work that was repeated while power meters were read.
struct MeterBlock {
  static constexpr const char* kKind = "meter_block";

  MeterWork work;
  int64_t runs = 0;   ///< runs of the work between begin_ns and end_ns
  double each_s = 0;  ///< time of one run
  int64_t begin_ns = 0, end_ns = 0;
  std::string error;  ///< why the work could not be replayed; the row then contains no times
};

template <class Fields>
void describe(Fields& fields, MeterBlock& block) {
  describe(fields, block.work);
  fields.unless_empty("error", block.error);
  fields.unless_empty("runs", block.runs);
  fields.unless_empty("each_s", block.each_s);
  fields.unless_empty("begin_ns", block.begin_ns);
  fields.unless_empty("end_ns", block.end_ns);
}

/// Returns the work of each block: first the whole iteration, then each of the `alone` kernels with the
/// largest `total_s`, then the others by tier. Kernels with a total of 0 are omitted. On a GPU, the launches
/// of several kernels back to back would not meet the memory that each needs. So there the others of a tier
/// are three works: the iteration with them, without them, and with them again, which cancels a steady drift
/// of the temperature.
std::vector<MeterWork> meter_works(const KernelTable& table, const std::vector<double>& total_s, size_t alone,
                                   bool on_gpu);

/// Repeats the work of one block for `window.settle_s` and then for `window.span_s` seconds; the latter are
/// the block. The meters are read meanwhile. On a GPU, the first launch of a kernel is repeated in place of
/// the others. `iteration_s` is the approximate time of an iteration. If the launches fail, the result has
/// an `error`. Throws DeviceError only if the device is lost.
MeterBlock measure_meter_block(Device& device, const KernelTable& table, const MeterWork& work,
                               double iteration_s, std::span<MeterRecord> meters,
                               const ReadingWindow& window);

}  // namespace kjoule
