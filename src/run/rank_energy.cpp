#include "run/rank_energy.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/write_error.hpp"
#include "measure/energy/cache_choice.hpp"
#include "recording/collective_kernel.hpp"
#include "run/idle_readings.hpp"
#include "run/meter_notes.hpp"

namespace kjoule {

namespace {

constexpr int kWholes = 8;  ///< readings of the whole if the energies of kernels cannot be measured
/// Name of NCCL's kernel of messages to single ranks.
constexpr std::string_view kSendReceive = "SendRecv";

SumEstimate times_of(const MeasuredRun& run) {
  const TimedIteration iteration =
      timed_iteration(run.recording(), excluded_launches(run.table(), run.rows()));
  return estimate(run.table(), iteration, run.rows().all<Round>());
}

/// Returns the kernels in groups, like energy_groups(). All collectives are one group: while some of them are
/// left out, no other one may send messages to pages that copies write.
std::vector<EnergyGroup> groups_of_ranks(const MeasuredRun& run, double time_limit_s,
                                         const MeterFacts& meter) {
  const SumEstimate times = times_of(run);
  std::set<LaunchIndex> not_grouped = excluded_launches(run.table(), run.rows());
  EnergyGroup collectives;
  for (uint32_t kernel = 0; kernel < run.table().kernels.size(); ++kernel) {
    if (!is_nccl_kernel(run.table().kernels[kernel].name)) continue;
    collectives.kernels.push_back(kernel);
    collectives.time_s += std::max(0.0, times.kernel_s.at(kernel).value);
    not_grouped.insert(run.table().kernels[kernel].places.front());
  }
  std::vector<EnergyGroup> groups = energy_groups(run.table(), times, not_grouped, time_limit_s, meter);
  if (collectives.kernels.empty()) return groups;
  collectives.launches = launches_of(run.table(), collectives.kernels);
  groups.push_back(std::move(collectives));
  return groups;
}

/// Returns the measured kernels of these launches.
std::set<uint32_t> kernels_of(const KernelTable& table, const std::vector<LaunchIndex>& launches) {
  std::set<uint32_t> kernels;
  for (const LaunchIndex launch : launches)
    if (const auto kernel = table.kernel_at(launch)) kernels.insert(*kernel);
  return kernels;
}

/// Returns the groups, joined until all launches of each kernel of the table are in one group. Launches that
/// are one kernel on one rank may be several on another rank, because the values of their arguments differ.
std::vector<EnergyGroup> join_by_kernels(const KernelTable& table, std::vector<EnergyGroup> groups) {
  std::vector<EnergyGroup> joined;
  for (EnergyGroup& group : groups) {
    const std::set<uint32_t> kernels = kernels_of(table, group.launches);
    const auto shares_kernel = [&](const EnergyGroup& other) {
      return std::ranges::any_of(other.launches, [&](LaunchIndex launch) {
        const auto kernel = table.kernel_at(launch);
        return kernel && kernels.contains(*kernel);
      });
    };
    EnergyGroup all = std::move(group);
    for (EnergyGroup& other : joined) {
      if (!shares_kernel(other)) continue;
      all.kernels.insert(all.kernels.end(), other.kernels.begin(), other.kernels.end());
      all.launches.insert(all.launches.end(), other.launches.begin(), other.launches.end());
      all.time_s += other.time_s;
      other.launches.clear();
    }
    std::erase_if(joined, [](const EnergyGroup& other) { return other.launches.empty(); });
    std::ranges::sort(all.kernels);
    std::ranges::sort(all.launches);
    joined.push_back(std::move(all));
  }
  return joined;
}

/// Returns the values of these meters.
template <class Value>
std::vector<Value> chosen(const std::vector<Value>& all, const std::vector<size_t>& meters) {
  std::vector<Value> its;
  for (const size_t meter : meters) its.push_back(all.at(meter));
  return its;
}

/// Returns a reading by the meters of one rank. Temperature and throttle reasons are those of the first
/// rank's GPU, so that other ranks have none.
SteadyReading by_meters(SteadyReading reading, const std::vector<size_t>& meters, size_t rank) {
  reading.mean_w = chosen(reading.mean_w, meters);
  if (rank == 0) return reading;
  reading.temperature_c.reset();
  reading.throttle_reasons.clear();
  return reading;
}

void keep_meters(const std::vector<size_t>& meters, size_t rank, std::vector<SteadyReading>& readings) {
  for (SteadyReading& reading : readings) reading = by_meters(std::move(reading), meters, rank);
}

/// Returns the groups with the kernels and times of another rank, which has the same launches.
std::vector<EnergyGroup> groups_on(const MeasuredRun& run, const SumEstimate& times,
                                   std::vector<EnergyGroup> groups) {
  for (EnergyGroup& group : groups) {
    const std::set<uint32_t> kernels = kernels_of(run.table(), group.launches);
    group.kernels.assign(kernels.begin(), kernels.end());
    group.time_s = 0;
    for (const uint32_t kernel : kernels) group.time_s += std::max(0.0, times.kernel_s.at(kernel).value);
  }
  return groups;
}

/// The readings of all ranks, with the values of all meters in each reading.
struct JointEnergy {
  EnergyPlan plan;
  IdleReadings idle;
  std::vector<EnergyBlock> blocks;
  std::optional<EnergyWholes> wholes;  ///< instead of blocks, if the ranks launch different kernels
  bool has_readings() const { return wholes || !blocks.empty(); }
};

EnergyRows rows_of_rank(const JointEnergy& joint, const std::vector<size_t>& meters, size_t number,
                        const TimedRank& rank) {
  EnergyRows rows;
  EnergyPlan plan = joint.plan;
  const SumEstimate times = times_of(*rank.run);
  plan.groups = groups_on(*rank.run, times, std::move(plan.groups));
  plan.iteration_s = times.whole_s.value;
  plan.waiting_s = rank.waiting_s;
  plan.meters = chosen(plan.meters, meters);
  keep_meters(meters, number, plan.restoring);
  keep_meters(meters, number, plan.paused);
  rows.plan = std::move(plan);
  rows.idle = {joint.idle.mean_w.at(meters.front()), joint.idle.begin_ns, joint.idle.end_ns};
  for (EnergyBlock block : joint.blocks) {
    block.whole = by_meters(std::move(block.whole), meters, number);
    keep_meters(meters, number, block.with);
    keep_meters(meters, number, block.without);
    rows.blocks.push_back(std::move(block));
  }
  rows.wholes = joint.wholes;
  if (rows.wholes) keep_meters(meters, number, rows.wholes->readings);
  return rows;
}

/// Adds the readings on which all others depend: of restoring memory, and of idle power.
void read_first(Subject& subject, std::span<MeterRecord> records, const EnergyOptions& options,
                JointEnergy& joint) {
  read_restoring(*subject.device, records, joint.plan);
  for (const MeterRecord& record : records) joint.plan.meters.push_back(facts_json(record.meter().facts()));
  joint.plan.end_ns = subject.clock->now_ns();
  joint.idle = measure_idle(subject, records, options);
}

/// Measures the energies of the whole and of groups of kernels on all ranks. Returns the reason for stopping.
Stopped measure_groups(Subject& subject, std::span<MeterRecord> records, const EnergyOptions& options,
                       std::span<const TimedRank> ranks, JointEnergy& joint) {
  MeasuredRun& first = *ranks.front().run;
  const MeterFacts& facts = records.front().meter().facts();
  joint.plan.groups = groups_of_ranks(first, options.time_limit_s, facts);
  for (const TimedRank& rank : ranks)
    joint.plan.groups = join_by_kernels(rank.run->table(), std::move(joint.plan.groups));
  choose_caches(*subject.device, joint.plan);
  read_first(subject, records, options, joint);
  return measure_energy(
      *subject.device, records, joint.plan, options, joint.blocks, [](const EnergyBlock&) {},
      first.progress());
}

/// Measures the energy of the whole on all ranks.
void measure_wholes(Subject& subject, std::span<MeterRecord> records, const EnergyOptions& options,
                    MeasuredRun& first, JointEnergy& joint) {
  read_first(subject, records, options, joint);
  joint.wholes = read_wholes(*subject.device, records, joint.plan, kWholes, first.progress());
}

/// Measures all ranks together. If they launch different kernels, only the energy of the whole is measured,
/// and StoppedEnergy::missing is the reason.
StoppedEnergy measure_together(Subject& subject, const EnergyMeters& opened, const EnergyOptions& options,
                               std::span<const TimedRank> ranks, JointEnergy& joint) {
  MeasuredRun& first = *ranks.front().run;
  std::vector<const Recording*> recordings;
  for (const TimedRank& rank : ranks) recordings.push_back(&rank.run->recording());
  StoppedEnergy stopped;
  stopped.missing = lack_of_equal_launches(recordings);
  try {
    std::vector<MeterRecord> records = records_under_load(opened.meters);
    joint.plan = make_energy_plan({}, times_of(first).whole_s.value, records.front().meter().facts());
    if (stopped.missing.empty())
      stopped.by = to_string(measure_groups(subject, records, options, ranks, joint));
    else
      measure_wholes(subject, records, options, first, joint);
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {  // the times of the ranks are kept
    stopped.missing = error.what();
  }
  return stopped;
}

/// Returns the notes of a rank's meters, each once.
std::vector<std::string> notes_of(const EnergyMeters& opened, const std::vector<size_t>& meters) {
  std::vector<std::string> notes;
  for (const size_t meter : meters) add_notes(*opened.meters.at(meter), notes);
  return notes;
}

/// Returns the mean over the ranks of the time for which they wait; nothing if it is not known for all.
std::optional<double> mean_waiting_s(std::span<const TimedRank> ranks) {
  double sum_s = 0;
  for (const TimedRank& rank : ranks) {
    if (!rank.waiting_s) return {};
    sum_s += *rank.waiting_s;
  }
  return sum_s / static_cast<double>(ranks.size());
}

void log_each(RankMeters& meters, std::span<const TimedRank> ranks) {
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    if (const std::vector<size_t> its = meters.of_rank(rank); !its.empty())
      meters.all.log_meter(its.back(), ranks[rank].run->new_power_log());
}

}  // namespace

std::string lack_of_equal_launches(const std::vector<const Recording*>& ranks) {
  const Recording& first = *ranks.front();
  for (const Recording* other : ranks)
    if (!std::ranges::equal(first.launches, other->launches, {}, &Launch::name, &Launch::name))
      return "the ranks launch different kernels, so that they cannot leave out the same ones";
  const auto sends = [](const Launch& launch) {
    return is_nccl_kernel(launch.name) && launch.name.find(kSendReceive) != std::string::npos;
  };
  if (ranks.size() > 2 && std::ranges::any_of(first.launches, sends))
    return "more than two ranks send messages to single ranks, so that they cannot leave out the same "
           "messages";
  return {};
}

void measure_rank_energy(Subject& subject, RankMeters& meters, const EnergyOptions& options,
                         std::span<const TimedRank> ranks) {
  MeasuredRun& first = *ranks.front().run;
  const auto earlier = first.rows().last<StoppedEnergy>();
  if (first.rows().has<EnergyPlan>() || (earlier && earlier->missing.empty())) return;
  StoppedEnergy stopped{"", meters.all.lack, {}, 0};
  JointEnergy joint;
  if (!meters.all.meters.empty()) {
    first.progress().stage("measuring the energy of all ranks");
    log_each(meters, ranks);
    stopped = measure_together(subject, meters.all, options, ranks, joint);
    first.progress().finish();
  }
  stopped.end_ns = subject.clock->now_ns();
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<size_t> its = meters.of_rank(rank);
    if (its.empty() && !meters.all.meters.empty()) continue;  // the first rank's meter measures all ranks
    EnergyRows rows;
    TimedRank measured = ranks[rank];
    if (meters.measure_the_machine()) measured.waiting_s = mean_waiting_s(ranks);
    if (joint.has_readings()) rows = rows_of_rank(joint, its, rank, measured);
    rows.stopped = stopped;
    rows.stopped.notes = notes_of(meters.all, its);
    ranks[rank].run->keep_energy(rows);
  }
  meters.all.close();
}

}  // namespace kjoule
