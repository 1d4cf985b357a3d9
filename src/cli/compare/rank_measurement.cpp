#include "cli/compare/rank_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/terminal.hpp"
#include "compare/iteration/collective_results.hpp"
#include "compare/ranks/watch_ranks.hpp"
#include "device/ranks.hpp"
#include "run/rank_energy.hpp"

namespace kjoule {

namespace {

std::string name_of(const RecordedRank& rank) {
  return rank_name(rank.info.rank, rank.process);
}

/// Returns the name of the folder with a rank's results, which is in the results folder: "rank-1".
std::string folder_name(const RecordedRank& rank) {
  std::string name = name_of(rank);
  std::ranges::replace(name, ' ', '-');
  return name;
}

}  // namespace

std::vector<RankResult> RankMeasurement::measure(Subject& subject, MeasuredRun& first, RankMeters& meters,
                                                 const EnergyOptions* energy) {
  if (!subject.has_ranks()) return {};
  first.once<WatchedRanks>([&] { return watched(subject); });
  std::deque<MeasuredRun> others;
  std::vector<MeasuredRun*> runs{&first};
  for (size_t rank = 1; rank < subject.ranks->ranks().size(); ++rank) {
    subject.ranks->use_as(rank);
    const std::string folder = folder_name(subject.ranks->ranks()[rank]);
    runs.push_back(&others.emplace_back("compare", subject, arguments_.run.within(folder)));
    measure_times(subject, rank, *runs.back());
  }
  subject.ranks->use_as(0);
  first.collectives();
  if (energy != nullptr) measure_energy(subject, runs, meters, *energy);
  return results(subject, runs);
}

WatchedRanks RankMeasurement::watched(const Subject& subject) const {
  std::vector<LoggedRank> ranks;
  for (const RecordedRank& rank : subject.ranks->ranks()) ranks.push_back({name_of(rank), &rank.recording});
  return watch_ranks(arguments_.subject.injection.run_log, ranks);
}

void RankMeasurement::measure_times(Subject& subject, size_t rank, MeasuredRun& run) {
  print_error("measuring {} of {} ranks\n", rank + 1, subject.ranks->ranks().size());
  run.record(subject.ranks->ranks()[rank].recording);
  run.program_iterations();
  EnergyMeters none;
  if (subject.ranks->share_a_meter()) none.lack = kEnergyOfAllRanks;
  iterations_.measure(run, arguments_.rounds, none, nullptr, nullptr);
}

void RankMeasurement::measure_energy(Subject& subject, const std::vector<MeasuredRun*>& runs,
                                     RankMeters& meters, const EnergyOptions& options) {
  std::vector<TimedRank> ranks;
  for (MeasuredRun* run : runs) ranks.push_back({run});
  if (const auto replayed = runs.front()->rows().first<ReplayedCollectives>()) {
    const std::vector<double> waiting_s = waiting_of_ranks(results(subject, runs), *replayed);
    for (size_t rank = 0; rank < waiting_s.size(); ++rank) ranks[rank].waiting_s = waiting_s[rank];
  }
  measure_rank_energy(subject, meters, options, ranks);
}

std::vector<RankResult> RankMeasurement::results(const Subject& subject,
                                                 const std::vector<MeasuredRun*>& runs) {
  std::vector<RankResult> results;
  for (size_t rank = 0; rank < runs.size(); ++rank) results.push_back(result(subject, rank, *runs[rank]));
  return results;
}

RankResult RankMeasurement::result(const Subject& subject, size_t rank, MeasuredRun& run) {
  const RecordedRank& recorded = subject.ranks->ranks()[rank];
  const Comparison comparison = iterations_.write_report(run, false);
  const auto& gpu = recorded.info.description;
  return {name_of(recorded),          gpu.value("name", ""),    gpu.value("uuid", ""),
          run.folder().string(),      recorded.recording,       comparison.times.launch_s,
          observation_in(run.rows()), comparison.times.whole_s, comparison.times.sum_s,
          comparison.judgement,       comparison.energy};
}

}  // namespace kjoule
