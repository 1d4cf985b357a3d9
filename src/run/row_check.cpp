#include "run/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/numbers/measured_range.hpp"
#include "measure/energy/energy_block.hpp"
#include "measure/time/round.hpp"
#include "run/measured_roof.hpp"
#include "run/row_magnitudes.hpp"
#include "run/run_rows.hpp"
#include "run/watched_ranks.hpp"

namespace kjoule {

namespace {

void need(bool holds, const std::string& otherwise) {
  if (!holds) throw Error(otherwise);
}

void need_work_time(double value_s, const char* field) {
  check_measured(field, value_s, kWorkTime);
}
void need_work_times(std::span<const double> values_s, const char* field) {
  for (const double value_s : values_s) need_work_time(value_s, field);
}
void need_part_time(double value_s, const char* field) {
  check_measured(field, value_s, kPartTime);
}
void need_share(double value, const char* field) {
  need(value >= 0 && value <= 1, fmt::format("{}: {} is not a share from 0 to 1", field, value));
}
void need_below(uint64_t index, size_t count, const char* field, const char* things) {
  need(index < count, fmt::format("{}: {}, but there are {} {}", field, index, count, things));
}
/// Throws Error if work took longer than the time from its begin to its end. The time of one run is an
/// estimate, so twice the time is allowed.
void need_enough_time(double work_s, int64_t begin_ns, int64_t end_ns, const char* field) {
  const double span_s = static_cast<double>(end_ns - begin_ns) * 1e-9;
  need(work_s <= 2 * span_s + 1e-3, fmt::format("{}: {:g} s of work in {:g} s", field, work_s, span_s));
}
void need_in_order(int64_t begin_ns, int64_t end_ns) {
  need(begin_ns >= 0 && begin_ns <= end_ns, "end_ns: before begin_ns");
}

/// Checks each row against the rows before it.
class RowCheck {
 public:
  void check(const nlohmann::json& row);

 private:
  template <Row R>
  void take(const nlohmann::json& row, bool repeats = false) {
    const R read = read_fields<R>(row, R::kKind);
    if (!repeats) need(counts_[R::kKind] == 0, "a second row of this kind");
    take_row(read);
  }
  void take_header(const nlohmann::json& row, const std::vector<const char*>& texts);

  void take_row(const ProgramIterations& row);
  void take_row(const MeasuredPart& row);
  void take_row(const LoopSpread& row);
  void take_row(const OwnPower& row);
  void take_row(const RecordedIteration& row);
  void take_row(const VerifiedReplay& row);
  void take_row(const ExcludedKernel& row);
  void take_row(const ReadTimeline& row);
  void take_row(const ReplayedCollectives& row);
  void take_row(const WatchedRanks& row);
  void take_row(const OverlappedReplays& row);
  void take_row(const PlannedRounds& row);
  void take_row(const Round& row);
  void take_row(const RequestedAgreement& row);
  void take_row(const StoppedRounds& row);
  void take_row(const ControlTimes& row);
  void take_row(const OtherStart& row);
  void take_row(const IsolatedBlock& row);
  void take_row(const MeterBlock& row);
  void take_row(const PlayedLoad& row);
  void take_row(const EnergyPlan& row);
  void take_row(const IdlePower& row);
  void take_row(const EnergyBlock& row);
  void take_row(const EnergyWholes& row);
  void take_row(const StoppedEnergy& row);
  void take_row(const IsolatedWorkRow& row);
  void take_row(const MeasuredRoof& row);
  void take_row(const FirstRun& row);

  void take_times(const ClockedLaunches& times) const;
  void take_times(const StampedLaunches& times) const;

  using Take = std::function<void(RowCheck&, const nlohmann::json&)>;
  static const std::map<std::string, Take>& kinds();

  const RecordedIteration& recorded() const;
  void need_launch(uint64_t launch, const char* field) const {
    need_below(launch, recorded().launches, field, "launches");
  }
  void need_kernel(uint64_t kernel, const char* field) const {
    need_below(kernel, recorded().kernels, field, "kernels");
  }

  size_t rows_ = 0;
  std::map<std::string, size_t> counts_;  ///< of the earlier rows, by kind
  std::optional<RecordedIteration> recorded_;
  std::optional<Plan> plan_;
  std::optional<EnergyPlan> energy_plan_;
  std::set<uint32_t> excluded_;
  int64_t rounds_ns_ = 0, blocks_ns_ = 0;  ///< measuring time of the rounds and of the blocks so far
};

const std::map<std::string, RowCheck::Take>& RowCheck::kinds() {
  const auto once = []<Row R>(std::type_identity<R>) {
    return std::pair<const std::string, Take>(
        R::kKind, [](RowCheck& check, const nlohmann::json& row) { check.take<R>(row); });
  };
  const auto many = []<Row R>(std::type_identity<R>) {
    return std::pair<const std::string, Take>(
        R::kKind, [](RowCheck& check, const nlohmann::json& row) { check.take<R>(row, true); });
  };
  using std::type_identity;
  static const std::map<std::string, Take> all{
      {"run",
       [](RowCheck& check, const nlohmann::json& row) {
         check.take_header(row, {"command", "title"});
       }},
      {"several", [](RowCheck& check, const nlohmann::json& row) { check.take_header(row, {"command"}); }},
      {"first_runs", [](RowCheck& check, const nlohmann::json& row) { check.take_header(row, {"command"}); }},
      {"load", [](RowCheck&, const nlohmann::json&) {}},
      once(type_identity<ProgramIterations>{}),
      once(type_identity<MeasuredPart>{}),
      once(type_identity<LoopSpread>{}),
      once(type_identity<OwnPower>{}),
      once(type_identity<RecordedIteration>{}),
      once(type_identity<VerifiedReplay>{}),
      many(type_identity<ExcludedKernel>{}),
      once(type_identity<ReadTimeline>{}),
      once(type_identity<ReplayedCollectives>{}),
      once(type_identity<WatchedRanks>{}),
      once(type_identity<OverlappedReplays>{}),
      once(type_identity<PlannedRounds>{}),
      many(type_identity<Round>{}),
      many(type_identity<RequestedAgreement>{}),
      many(type_identity<StoppedRounds>{}),
      once(type_identity<ControlTimes>{}),
      many(type_identity<OtherStart>{}),
      many(type_identity<IsolatedBlock>{}),
      many(type_identity<MeterBlock>{}),
      once(type_identity<PlayedLoad>{}),
      once(type_identity<EnergyPlan>{}),
      once(type_identity<IdlePower>{}),
      many(type_identity<EnergyBlock>{}),
      once(type_identity<EnergyWholes>{}),
      many(type_identity<StoppedEnergy>{}),
      many(type_identity<IsolatedWorkRow>{}),
      once(type_identity<MeasuredRoof>{}),
      many(type_identity<FirstRun>{})};
  return all;
}

void RowCheck::check(const nlohmann::json& row) {
  const std::string kind = row.at("kind");
  check_magnitudes(row);
  const auto found = kinds().find(kind);
  need(found != kinds().end(), kind + ": no known kind of row");
  need((rows_ == 0) == (kind == "run" || kind == "several" || kind == "first_runs"),
       rows_ == 0 ? "not the first row of a run" : "a second first row of a run");
  found->second(*this, row);
  ++counts_[kind];
  ++rows_;
}

void RowCheck::take_header(const nlohmann::json& row, const std::vector<const char*>& texts) {
  for (const char* field : texts)
    need(row.contains(field) && row.at(field).is_string(), std::string(field) + ": not a text");
  if (row.at("kind") != "run") return;
  for (const char* field : {"program", "device"})
    need(row.contains(field) && row.at(field).is_object(), std::string(field) + ": not an object");
}

const RecordedIteration& RowCheck::recorded() const {
  need(recorded_.has_value(), "comes before the recording row");
  return *recorded_;
}

void RowCheck::take_row(const ProgramIterations& row) {
  need_work_times(row.run_s, "seconds");
  need(row.warmup >= 0, "warmup: negative");
  need_in_order(row.begin_ns, row.end_ns);
  need_enough_time(std::accumulate(row.run_s.begin(), row.run_s.end(), 0.0), row.begin_ns, row.end_ns,
                   "seconds");
}

void RowCheck::take_row(const MeasuredPart& row) {
  need(row.facts.first < row.facts.end, "end_launch: not after first_launch");
  need(row.facts.iterations > 0, "iterations: 0");
  need_share(row.facts.run_share, "run_share");
  need(row.facts.measured_ns >= 0 && row.facts.part_ns >= 0, "busy_ns: negative");
}

void RowCheck::take_row(const LoopSpread& row) {
  need(row.spread.low_ns <= row.spread.median_ns && row.spread.median_ns <= row.spread.high_ns,
       "median_busy_ns: not between low and high");
}

void RowCheck::take_row(const OwnPower& row) {
  need(row.power.watts.value > 0 && row.power.watts.half_width > 0, "watts: not above 0");
  need_work_time(row.power.seconds, "seconds");
}

void RowCheck::take_row(const RecordedIteration& row) {
  need(row.launches > 0, "launches: 0");
  need(row.kernels > 0 && row.kernels <= row.launches, "kernels: not between 1 and the number of launches");
  recorded_ = row;
}

void RowCheck::take_row(const VerifiedReplay& row) {
  for (const auto* launches : {&row.found.different, &row.found.non_finite, &row.found.varying})
    for (const LaunchIndex launch : *launches) need_launch(launch, "launch");
  for (const auto& [launch, why] : row.found.failed) need_launch(launch, "failed");
  for (const KernelShare& share : row.different_kernels) need_launch(share.first, "different_kernels");
}

void RowCheck::take_row(const ExcludedKernel& row) {
  need_kernel(row.kernel, "kernel");
  need(excluded_.insert(row.kernel).second, "kernel: excluded twice");
}

void RowCheck::take_row(const ReadTimeline& row) {
  need_in_order(row.begin_ns, row.end_ns);
  need(row.observation.has_value() == row.error.empty(),
       "observation, error: not exactly one of them is given");
}

void RowCheck::take_row(const ReplayedCollectives& row) {
  need_in_order(row.begin_ns, row.end_ns);
  need(row.ranks.empty() != row.error.empty(), "ranks, error: not exactly one of them is given");
  for (const CollectiveReplays& rank : row.ranks)
    for (const CollectiveTimes& times : rank.replays)
      need(times.begin_ns.size() == times.launches.size() && times.end_ns.size() == times.launches.size(),
           "begin_ns, end_ns: not one time for each launch");
}

void RowCheck::take_row(const WatchedRanks& row) {
  need_in_order(row.begin_ns, row.end_ns);
  need(row.ranks.empty() != row.error.empty(), "ranks, error: not exactly one of them is given");
  if (row.ranks.empty()) return;
  need(row.path.parts_s.size() == PathSums::kParts, "path: not one time for each of its parts");
  need(row.path.ranks_s.size() == row.ranks.size(), "path: not one time for each rank");
  for (const CollectiveWaiting& waiting : row.collectives)
    need(waiting.waiting_s.size() == row.ranks.size(), "collectives: not one waiting for each rank");
}

void RowCheck::take_row(const OverlappedReplays& row) {
  need_in_order(row.begin_ns, row.end_ns);
  need_work_times(row.seconds, "seconds");
  need(row.seconds.empty() != row.error.empty(), "seconds, error: not exactly one of them is given");
}

void RowCheck::take_row(const PlannedRounds& row) {
  recorded();
  if (const auto* clocked = std::get_if<ClockedPlan>(&row.plan))
    need(std::min({clocked->iterations, clocked->segments, clocked->passes}) > 0,
         "plan: nothing is repeated");
  if (const auto* stamped = std::get_if<StampedPlan>(&row.plan)) {
    need(std::min(stamped->iterations, stamped->replays) > 0 && stamped->lead_iterations >= 0,
         "plan: nothing is repeated");
    need_work_time(stamped->undisturbed_s, "undisturbed_s");
    need_work_time(stamped->empty_kernels_s, "empty_kernels_s");
  }
  plan_ = row.plan;
}

void RowCheck::take_times(const ClockedLaunches& times) const {
  need(plan_ && std::holds_alternative<ClockedPlan>(*plan_), "times: not of the method in the plan row");
  need(!times.whole_s.empty(), "whole_s: empty");
  need_work_times(times.whole_s, "whole_s");
  need_work_times(times.own_iteration_s, "own_iteration_s");
  need(times.launch_s.size() == recorded().launches, "launch_s: not one time for each launch");
}

void RowCheck::take_times(const StampedLaunches& times) const {
  need(plan_ && std::holds_alternative<StampedPlan>(*plan_), "times: not of the method in the plan row");
  const size_t restoring = std::get<StampedPlan>(*plan_).restores ? 1 : 0;
  need(times.launches > restoring && times.launches <= recorded().launches + restoring,
       "launches: not between 1 and the recording's number of launches");
  need(times.iterations == static_cast<uint32_t>(std::get<StampedPlan>(*plan_).iterations),
       "iterations: not the number in the plan row");
  for (const auto* graphs : {&times.dense, &times.sparse, &times.wholes}) {
    need(!graphs->empty(), "graphs: incomplete");
    for (const StampedGraph& graph : *graphs) {
      need(graph.stamped_after.size() == graph.mean_s.size() + 1 &&
               graph.mean_s.size() == graph.spread_s.size(),
           "graphs: not one distance for each gap");
      for (const double spread_s : graph.spread_s) need_part_time(spread_s, "spread_ns");
    }
  }
  for (const StampedGraph& whole : times.wholes) need_work_times(whole.mean_s, "wholes.mean_ns");
}

void RowCheck::take_row(const Round& row) {
  const size_t due = counts_[Round::kKind];
  need(std::cmp_equal(row.number, due), fmt::format("round: {} instead of {}", row.number, due));
  need_in_order(row.begin_ns, row.end_ns);
  need(row.spent_ns >= rounds_ns_, "spent_ns: less than in the row before");
  rounds_ns_ = row.spent_ns;
  std::visit([this](const auto& times) { take_times(times); }, row.times);
}

void RowCheck::take_row(const RequestedAgreement& row) {
  need_share(row.time, "time");
  need_share(row.energy, "energy");
}

void RowCheck::take_row(const StoppedRounds& row) {
  need(counts_[Round::kKind] > 0, "comes before the rounds");
  need_share(row.precision, "precision");
}

void RowCheck::take_row(const ControlTimes& row) {
  need_work_time(row.before_s, "before_s");
  need_work_time(row.after_s, "after_s");
}

void RowCheck::take_row(const OtherStart& row) {
  if (row.error.empty()) need_work_time(row.whole_s, "whole_s");
}

void RowCheck::take_row(const IsolatedBlock& row) {
  const size_t due = counts_[IsolatedBlock::kKind];
  const IsolatedKernel& one = row.block;
  need_kernel(one.kernel, "kernel");
  need(one.kernel == due, fmt::format("kernel: {} instead of {}", one.kernel, due));
  need_in_order(one.begin_ns, one.end_ns);
  if (!one.error.empty()) return;
  need(one.runs > 0, "runs: none");
  need_work_time(one.single_s, "single_s");
  need_enough_time(static_cast<double>(one.runs) * one.single_s, one.begin_ns, one.end_ns, "single_s");
}

void RowCheck::take_row(const MeterBlock& row) {
  for (const uint32_t kernel : row.kernels) need_kernel(kernel, "kernels");
  need_in_order(row.begin_ns, row.end_ns);
  if (!row.error.empty()) return;
  need(!row.with.empty(), "with: empty");
  need(!row.is_whole() || !row.is_difference(), "without: not empty, but the row is of the whole");
  for (const auto* list : {&row.with, &row.without})
    for (const MeterWork& work : *list) {
      need_in_order(work.begin_ns, work.end_ns);
      need(work.runs > 0, "runs: none");
      need_work_time(work.each_s, "each_s");
    }
}

void RowCheck::take_row(const PlayedLoad& row) {
  need(!row.edges.empty(), "edges: none");
  need_in_order(row.begin_ns, row.end_ns);
}

void need_reading(const SteadyReading& reading, size_t meters) {
  need_work_time(reading.repeat_s, "repeat_s");
  need_part_time(reading.pause_s, "pause_s");
  need_in_order(reading.begin_ns, reading.end_ns);
  need(reading.mean_w.size() == meters, "mean_w: not one for each meter");
  for (const auto& watts : reading.mean_w)
    if (watts) check_measured("mean_w", *watts, kPowerRange);
}

void RowCheck::take_row(const EnergyPlan& row) {
  for (const EnergyGroup& group : row.groups) {
    for (const uint32_t kernel : group.kernels) need_kernel(kernel, "groups.kernels");
    for (const LaunchIndex launch : group.launches) need_launch(launch, "groups.launches");
    need_part_time(group.time_s, "groups.time_s");
  }
  need_work_time(row.iteration_s, "iteration_s");
  need(row.iterations > 0, "iterations: none");
  need_part_time(row.window.settle_s, "settle_s");
  need_work_time(row.window.span_s, "span_s");
  for (const auto* readings : {&row.restoring, &row.paused})
    for (const SteadyReading& reading : *readings) need_reading(reading, row.meters.size());
  energy_plan_ = row;
}

void RowCheck::take_row(const IdlePower& row) {
  need_in_order(row.begin_ns, row.end_ns);
  if (row.mean_w) check_measured("mean_w", *row.mean_w, kPowerRange);
}

void RowCheck::take_row(const EnergyBlock& row) {
  const size_t due = counts_[EnergyBlock::kKind];
  need(energy_plan_.has_value(), "comes before the energy_plan row");
  need(std::cmp_equal(row.number, due), fmt::format("block: {} instead of {}", row.number, due));
  need(row.group >= 0, "group: negative");
  need_below(static_cast<uint64_t>(row.group), pairs_of(*energy_plan_), "group", "groups");
  need(!row.with.empty() && row.with.size() == row.without.size(), "with, without: incomplete");
  need_reading(row.whole, energy_plan_->meters.size());
  for (const auto* readings : {&row.with, &row.without})
    for (const SteadyReading& reading : *readings) need_reading(reading, energy_plan_->meters.size());
  need(row.spent_ns >= blocks_ns_, "spent_ns: less than in the row before");
  blocks_ns_ = row.spent_ns;
}

void RowCheck::take_row(const EnergyWholes& row) {
  need(energy_plan_.has_value(), "comes before the energy_plan row");
  for (const SteadyReading& reading : row.readings) need_reading(reading, energy_plan_->meters.size());
}

void RowCheck::take_row(const StoppedEnergy& row) {
  need(row.by.empty() != row.missing.empty(), "by, missing: not exactly one of them is given");
}

void RowCheck::take_row(const IsolatedWorkRow& row) {
  need(row.reading.has_value() == row.error.empty(), "reading, error: not exactly one of them is given");
  if (row.reading) need_work_time(row.reading->each_s.value, "each_s");
}

void RowCheck::take_row(const MeasuredRoof& row) {
  need(row.roof.has_value() == row.error.empty(), "roof, error: not exactly one of them is given");
}

void RowCheck::take_row(const FirstRun& row) {
  const size_t due = counts_[FirstRun::kKind];
  need(row.layer == due, fmt::format("layer: {} instead of {}", row.layer, due));
  need(row.seconds.has_value() == row.error.empty(), "seconds, error: not exactly one of them is given");
  if (row.seconds) need_part_time(*row.seconds, "seconds");
}

}  // namespace

void check_rows(const RowList& rows, const std::filesystem::path& file) {
  RowCheck check;
  size_t line = 0;
  for (const nlohmann::json& row : rows.list()) {
    ++line;
    try {
      check.check(row);
    } catch (const Error& error) {
      refuse_row(file, line, error.what());
    }
  }
}

}  // namespace kjoule
