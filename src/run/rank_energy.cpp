#include "run/rank_energy.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
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
  const TimedIteration iteration = measured_iteration(run.recording(), run.table(), run.rows());
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

/// Returns the mean over the ranks of the time for which they wait; nothing if it is not known for all.
std::optional<double> mean_waiting_s(std::span<const TimedRank> ranks) {
  double sum_s = 0;
  for (const TimedRank& rank : ranks) {
    if (!rank.waiting_s) return {};
    sum_s += *rank.waiting_s;
  }
  return sum_s / static_cast<double>(ranks.size());
}

/// The readings of all ranks, with the values of all meters in each reading.
struct JointEnergy {
  EnergyPlan plan;
  IdleReadings idle;
  std::vector<EnergyBlock> blocks;
};

/// Adds the values of the meters of one rank to a reading with the values of all meters.
void add_meters(const SteadyReading& of_rank, const std::vector<size_t>& meters, size_t all,
                SteadyReading& joint) {
  joint.mean_w.resize(all);
  for (size_t m = 0; m < meters.size(); ++m) joint.mean_w.at(meters[m]) = of_rank.mean_w.at(m);
}

/// Writes the rows of each rank that has meters, and joins the rows of an interrupted run. The rows of the
/// first rank are written last, so that the other ranks have all rows that it has.
class RankRows {
 public:
  RankRows(const RankMeters& meters, std::span<const TimedRank> ranks) : meters_(meters), ranks_(ranks) {
    for (size_t rank = ranks.size(); rank-- > 0;)
      if (const auto its = meters.of_rank(rank); !its.empty() || meters.all.meters.empty())
        numbers_.push_back(rank);  // otherwise the first rank's meter measures all ranks
  }

  void write_plan(const JointEnergy& joint) const {
    for (const size_t rank : numbers_) ranks_[rank].run->keep_energy(plan_rows(joint, rank));
  }
  /// A run that was killed may have the row of the block already for some ranks.
  void write_block(const EnergyBlock& joint) const {
    for (const size_t rank : numbers_) {
      if (std::cmp_greater(run_of(rank).rows().count<EnergyBlock>(), joint.number)) continue;
      EnergyBlock block = joint;
      const std::vector<size_t> its = meters_.of_rank(rank);
      block.whole = by_meters(std::move(block.whole), its, rank);
      keep_meters(its, rank, block.with);
      keep_meters(its, rank, block.without);
      run_of(rank).keep_energy({.block = std::move(block)});
    }
  }
  void write_wholes(const EnergyWholes& joint) const {
    for (const size_t rank : numbers_) {
      EnergyWholes wholes = joint;
      keep_meters(meters_.of_rank(rank), rank, wholes.readings);
      run_of(rank).keep_energy({.wholes = std::move(wholes)});
    }
  }
  void write_end(const StoppedEnergy& joint) const {
    for (const size_t rank : numbers_) {
      const auto earlier = run_of(rank).rows().last<StoppedEnergy>();
      if (earlier && earlier->missing == joint.missing) continue;
      StoppedEnergy stopped = joint;
      for (const size_t meter : meters_.of_rank(rank))
        add_notes(*meters_.all.meters.at(meter), stopped.notes);
      run_of(rank).keep_energy({.stopped = std::move(stopped)});
    }
  }

  /// Returns whether a rank has readings of an interrupted run.
  bool has_readings() const {
    return std::ranges::any_of(numbers_,
                               [this](size_t rank) { return run_of(rank).rows().has<EnergyPlan>(); });
  }
  /// Returns the readings of an interrupted run. Throws Error if the ranks had other meters then, or if it
  /// was killed before all ranks had their first rows.
  JointEnergy joined() const {
    const size_t all = meters_.all.meters.size();
    JointEnergy joint;
    joint.idle.mean_w.resize(all);
    // In this order, everything that is the same for all meters is that of the first rank.
    for (const size_t rank : numbers_) {
      const RowList& rows = run_of(rank).rows();
      const std::vector<size_t> its = meters_.of_rank(rank);
      const auto plan = rows.first<EnergyPlan>();
      const auto idle = rows.first<IdlePower>();
      if (!plan || !idle || plan->meters.size() != its.size())
        throw Error("the interrupted run has no readings of these meters",
                    "repeat the command without --resume");
      join(*plan, its, joint.plan);
      joint.idle.mean_w.at(its.front()) = idle->mean_w;
      joint.idle.begin_ns = idle->begin_ns;
      joint.idle.end_ns = idle->end_ns;
      join(rows.all<EnergyBlock>(), its, joint.blocks);
    }
    return joint;
  }

 private:
  MeasuredRun& run_of(size_t rank) const { return *ranks_[rank].run; }

  EnergyRows plan_rows(const JointEnergy& joint, size_t rank) const {
    const std::vector<size_t> its = meters_.of_rank(rank);
    EnergyPlan plan = joint.plan;
    const SumEstimate times = times_of(run_of(rank));
    plan.groups = groups_on(run_of(rank), times, std::move(plan.groups));
    plan.iteration_s = times.whole_s.value;
    plan.waiting_s = meters_.measure_the_machine() ? mean_waiting_s(ranks_) : ranks_[rank].waiting_s;
    plan.meters = chosen(plan.meters, its);
    keep_meters(its, rank, plan.restoring);
    keep_meters(its, rank, plan.paused);
    return {.plan = std::move(plan),
            .idle = IdlePower{joint.idle.mean_w.at(its.front()), joint.idle.begin_ns, joint.idle.end_ns}};
  }

  /// Replaces the readings by those of a rank, and adds its values to those of other ranks' meters.
  void join(const std::vector<SteadyReading>& of_rank, const std::vector<size_t>& its,
            std::vector<SteadyReading>& joint) const {
    joint.resize(of_rank.size());
    for (size_t r = 0; r < of_rank.size(); ++r) join(of_rank[r], its, joint[r]);
  }
  void join(const SteadyReading& of_rank, const std::vector<size_t>& its, SteadyReading& joint) const {
    SteadyReading both = of_rank;
    both.mean_w = joint.mean_w;
    add_meters(of_rank, its, meters_.all.meters.size(), both);
    joint = std::move(both);
  }
  void join(const EnergyPlan& of_rank, const std::vector<size_t>& its, EnergyPlan& joint) const {
    EnergyPlan both = of_rank;
    both.restoring = joint.restoring;
    both.paused = joint.paused;
    join(of_rank.restoring, its, both.restoring);
    join(of_rank.paused, its, both.paused);
    both.meters = joint.meters;
    both.meters.resize(meters_.all.meters.size());
    for (size_t m = 0; m < its.size(); ++m) both.meters.at(its[m]) = of_rank.meters.at(m);
    joint = std::move(both);
  }
  /// The last rank that is joined, the first one, may have one block less.
  void join(const std::vector<EnergyBlock>& of_rank, const std::vector<size_t>& its,
            std::vector<EnergyBlock>& joint) const {
    joint.resize(of_rank.size());
    for (size_t b = 0; b < of_rank.size(); ++b) {
      EnergyBlock both = of_rank[b];
      both.whole = joint[b].whole;
      both.with = joint[b].with;
      both.without = joint[b].without;
      join(of_rank[b].whole, its, both.whole);
      join(of_rank[b].with, its, both.with);
      join(of_rank[b].without, its, both.without);
      joint[b] = std::move(both);
    }
  }

  const RankMeters& meters_;
  std::span<const TimedRank> ranks_;
  std::vector<size_t> numbers_;  ///< the ranks with rows, the first one last
};

/// Adds the readings on which all others depend: of restoring memory, and of idle power.
void read_first(Subject& subject, std::span<MeterRecord> records, const EnergyOptions& options,
                JointEnergy& joint) {
  read_restoring(*subject.device, records, joint.plan);
  for (const MeterRecord& record : records) joint.plan.meters.push_back(facts_json(record.meter().facts()));
  joint.plan.end_ns = subject.clock->now_ns();
  joint.idle = measure_idle(subject, records, options);
}

/// Plans the groups of kernels whose energies are measured, and reads what all blocks use.
void plan_groups(Subject& subject, std::span<MeterRecord> records, const EnergyOptions& options,
                 std::span<const TimedRank> ranks, JointEnergy& joint) {
  MeasuredRun& first = *ranks.front().run;
  const MeterFacts& facts = records.front().meter().facts();
  joint.plan.groups = groups_of_ranks(first, options.time_limit_s, facts);
  for (const TimedRank& rank : ranks)
    joint.plan.groups = join_by_kernels(rank.run->table(), std::move(joint.plan.groups));
  choose_caches(*subject.device, joint.plan);
  read_first(subject, records, options, joint);
}

/// Returns the readings on which all others depend: those of the interrupted run, or new ones, whose rows are
/// written. If `with_groups` is false, only the energy of the whole is measured.
JointEnergy first_readings(Subject& subject, std::span<MeterRecord> records, const EnergyOptions& options,
                           std::span<const TimedRank> ranks, bool with_groups, const RankRows& rows) {
  if (rows.has_readings()) return rows.joined();
  JointEnergy joint;
  joint.plan =
      make_energy_plan({}, times_of(*ranks.front().run).whole_s.value, records.front().meter().facts());
  if (with_groups)
    plan_groups(subject, records, options, ranks, joint);
  else
    read_first(subject, records, options, joint);
  rows.write_plan(joint);
  return joint;
}

/// Measures all ranks together. If they launch different kernels, only the energy of the whole is measured,
/// and StoppedEnergy::missing is the reason.
StoppedEnergy measure_together(Subject& subject, const EnergyMeters& opened, const EnergyOptions& options,
                               std::span<const TimedRank> ranks, const RankRows& rows) {
  MeasuredRun& first = *ranks.front().run;
  std::vector<const Recording*> recordings;
  for (const TimedRank& rank : ranks) recordings.push_back(&rank.run->recording());
  StoppedEnergy stopped;
  stopped.missing = lack_of_equal_launches(recordings);
  try {
    std::vector<MeterRecord> records = records_under_load(opened.meters);
    const bool with_groups = stopped.missing.empty();
    JointEnergy joint = first_readings(subject, records, options, ranks, with_groups, rows);
    const auto write = [&rows](const EnergyBlock& block) { rows.write_block(block); };
    if (with_groups)
      stopped.by = to_string(measure_energy(*subject.device, records, joint.plan, options, joint.blocks,
                                            write, first.progress()));
    else
      rows.write_wholes(read_wholes(*subject.device, records, joint.plan, kWholes, first.progress()));
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {  // the times of the ranks are kept
    stopped.missing = error.what();
  }
  return stopped;
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
  if (first.rows().has<EnergyWholes>() || (earlier && earlier->missing.empty())) return;
  StoppedEnergy stopped{"", meters.all.lack, {}, 0};
  const RankRows rows(meters, ranks);
  if (!meters.all.meters.empty()) {
    first.progress().stage("measuring the energy of all ranks");
    log_each(meters, ranks);
    stopped = measure_together(subject, meters.all, options, ranks, rows);
    first.progress().finish();
  }
  stopped.end_ns = subject.clock->now_ns();
  rows.write_end(stopped);
  meters.all.close();
}

}  // namespace kjoule
