#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "measure/meters/steady_loop.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Work that was repeated back to back while power meters were read.
struct MeterWork {
  int64_t runs = 0;   ///< number of runs of the work between begin_ns and end_ns
  double each_s = 0;  ///< time of one run of the work
  int64_t begin_ns = 0, end_ns = 0;
  std::string start_timestamp{}, end_timestamp{};  ///< local times of begin_ns and end_ns
};

template <class Fields>
void describe(Fields& fields, MeterWork& work) {
  fields("runs", work.runs);
  fields("each_s", work.each_s);
  fields("begin_ns", work.begin_ns);
  fields("end_ns", work.end_ns);
  fields("start_timestamp", work.start_timestamp);
  fields("end_timestamp", work.end_timestamp);
}

/// Kernels, or the whole iteration, that are repeated for so long that a power meter reads their power.
struct MeterBlock {
  static constexpr const char* kKind = "meter_block";

  std::vector<uint32_t> kernels;  ///< indices in the kernel table; empty for the whole iteration
  /// `with` is the work that contains the launches of the kernels, or of the whole iteration. If `without` is
  /// empty, the energy of the kernels is that of `with`. Otherwise both works consist of complete iterations
  /// and restoring memory, and `without` lacks the launches of the kernels; the energy of the kernels is the
  /// difference between `with` and `without`.
  std::vector<MeterWork> with{}, without{};
  int64_t begin_ns = 0, end_ns = 0;
  /// Why the kernels could not be replayed; the row then contains no times. Empty if the kernels were
  /// replayed.
  std::string error{};

  bool is_whole() const { return kernels.empty(); }
  bool is_difference() const { return !without.empty(); }
};

template <class Fields>
void describe(Fields& fields, MeterBlock& block) {
  fields("kernels", block.kernels);
  fields.unless_empty("error", block.error);
  fields("with", block.with);
  fields("without", block.without);
  fields.unless_empty("begin_ns", block.begin_ns);
  fields.unless_empty("end_ns", block.end_ns);
}

/// Returns the kernels of each block, as indices in the table. The list of the first block is empty: this
/// block is the whole iteration. One block follows for each of the `alone` kernels with the largest
/// `total_s`, then one block per tier for the remaining kernels. Kernels with a total of 0 are omitted.
std::vector<std::vector<uint32_t>> meter_blocks(const KernelTable& table, const std::vector<double>& total_s,
                                                size_t alone);

/// Measures one block: repeats its work for `window.settle_s` seconds of warm-up, and then for the
/// `window.span_s` seconds of the block, while the meters are read. `iteration_s` is the approximate time of
/// an iteration. If the launches fail, the result has an `error`. Throws DeviceError only if the device is
/// lost. The caller sets the timestamps of the result.
///
/// On a GPU, the first launch of a kernel is repeated instead of all its launches. Launches of several
/// kernels cannot be repeated in this way, because they would not find the memory contents that they need.
/// For several kernels, complete iterations with and without their launches are repeated (SteadyWork). The
/// iterations without the launches run for twice the time, between two times with the launches, which cancels
/// a steady drift of the temperature.
MeterBlock measure_meter_block(Device& device, const KernelTable& table, const std::vector<uint32_t>& kernels,
                               double iteration_s, std::span<MeterRecord> meters,
                               const ReadingWindow& window);

}  // namespace kjoule
