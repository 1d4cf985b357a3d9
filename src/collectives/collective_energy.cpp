#include "collectives/collective_energy.hpp"

#include <optional>

#include "base/numbers/statistics.hpp"
#include "collectives/collective_track.hpp"
#include "measure/meters/steady_loop.hpp"

namespace kjoule {

namespace {

constexpr int kReadingsOfEnergy = 3;
/// Warm-up until the power is steady, and duration of a reading, s. The energy counter of a GPU changes every
/// 0.1 s, so a reading has three changes or more.
constexpr double kSettleCollective_s = 0.2, kReadCollective_s = 0.3;

RankMeters open_meters_of(RankProcesses& ranks, EnergyMeterOptions options) {
  RankMeters meters;
  if (ranks.machines() > 1) {
    meters.all.lack = "the GPUs are on several machines, and kjoule reads the meters of one machine";
    return meters;
  }
  // Probing takes a minute for each GPU, and only collectives of a multiple of 0.8 ms repeat in step with a
  // sensor.
  options.may_probe = false;
  std::vector<RankGpu> gpus;
  for (const RankGreeting& greeting : ranks.greetings())
    gpus.push_back({"rank " + std::to_string(gpus.size()), greeting.gpu_uuid});
  return open_rank_meters(gpus, options);
}

/// Returns the meters that give the results: the first one of each rank, or the one of the whole machine.
std::vector<size_t> first_of_each(const RankMeters& meters) {
  if (meters.measure_the_machine()) return {0};
  std::vector<size_t> first;
  for (size_t rank = 0; rank <= meters.ranks.back().value_or(0); ++rank)
    first.push_back(meters.of_rank(rank).front());
  return first;
}

}  // namespace

Interval CollectiveEnergy::joules() const {
  return mean_interval(readings_j);
}

CollectiveMeters::CollectiveMeters(RankProcesses& ranks, const EnergyMeterOptions& options)
    : ranks_(ranks), meters_(open_meters_of(ranks, options)) {}

void CollectiveMeters::begin() {
  if (!records_.empty()) return;
  meters_.all.poll();
  records_ = records_under_load(meters_.all.meters);
}

CollectiveEnergy CollectiveMeters::read(const CollectiveOperation& operation, double about_s) {
  CollectiveEnergy energy;
  energy.missing = meters_.all.lack;
  if (meters_.all.meters.empty()) return energy;
  begin();
  energy.meter = records_.front().meter().facts().source;
  const std::vector<size_t> meters = first_of_each(meters_);
  std::vector<double> sums_j(meters.size());
  CollectiveTrack track(ranks_, operation);
  SteadyLoop loop(records_);
  double each_s = loop.settle(track, about_s, kSettleCollective_s).repeat_s;
  for (int i = 0; i < kReadingsOfEnergy; ++i) {
    const SteadyReading reading = loop.read(track, each_s, {0, kReadCollective_s});
    each_s = reading.repeat_s;
    double all_j = 0;
    for (size_t m = 0; m < meters.size(); ++m) {
      const std::optional<double> watts = reading.mean_w[meters[m]];
      if (!watts) {
        energy.missing = records_[meters[m]].meter().facts().name + " gave no reading while the GPUs worked";
        energy.readings_j.clear();
        return energy;
      }
      all_j += *watts * each_s;
      sums_j[m] += *watts * each_s;
    }
    energy.readings_j.push_back(all_j);
    energy.time_us += 1e6 * each_s / kReadingsOfEnergy;
  }
  if (!meters_.measure_the_machine())
    for (const double sum_j : sums_j) energy.gpus_j.push_back(sum_j / kReadingsOfEnergy);
  return energy;
}

}  // namespace kjoule
