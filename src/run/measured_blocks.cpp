// MeasuredRun::meter_blocks(): work that is repeated for so long that a power meter reads it.
#include <algorithm>
#include <limits>

#include "run/energy_meters.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

namespace {

/// Number of the round of blocks, next to that of energy.
constexpr int kBlocksRound = std::numeric_limits<int>::min() + 1;

}  // namespace

/// Returns the times of all launches of each kernel in isolation, s, by kernel; 0 where there is none.
std::vector<double> MeasuredRun::isolated_totals_s() const {
  std::vector<double> totals_s(table_.kernels.size());
  const auto excluded = excluded_kernels(rows());
  for (const IsolatedKernel& one : rows().all<IsolatedKernel>())
    if (one.error.empty() && !excluded.contains(one.kernel))
      totals_s[one.kernel] = one.single_s * static_cast<double>(table_.kernels[one.kernel].places.size());
  return totals_s;
}

MeterBlock MeasuredRun::meter_block(const std::vector<uint32_t>& kernels, std::span<MeterRecord> meters,
                                    const ReadingWindow& window) {
  double iteration_s = 0;
  for (const double total_s : isolated_totals_s()) iteration_s += total_s;
  try {
    return measure_meter_block(*subject_.device, table_, kernels, iteration_s, meters, window);
  } catch (const DeviceError& error) {
    if (dynamic_cast<const StuckError*>(&error) == nullptr && !error.lost) throw;
    is_lost_ = true;
    MeterBlock block;
    block.kernels = kernels;
    block.error = error.what();
    return block;
  }
}

void MeasuredRun::meter_blocks(EnergyMeters& opened, int alone) {
  if (opened.block_s <= 0) return opened.close();
  progress_->stage("repeating the kernels for the power meter");
  log_power(opened);
  std::vector<MeterRecord> meters = records_under_load(opened.meters);
  const auto blocks = kjoule::meter_blocks(table_, isolated_totals_s(), static_cast<size_t>(alone));
  subject_.device->begin_round(kBlocksRound);
  for (size_t done = rows().count<MeterBlock>(); done < blocks.size() && !is_lost_; ++done) {
    append(meter_block(blocks[done], meters, {opened.settle_s, opened.block_s}));
    progress_->update(static_cast<double>(done + 1) / static_cast<double>(blocks.size()));
  }
  opened.read_past_now();
  opened.close();
  progress_->finish();
}

}  // namespace kjoule
