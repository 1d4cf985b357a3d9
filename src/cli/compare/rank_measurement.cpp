#include "cli/compare/rank_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/process/terminal.hpp"
#include "device/ranks.hpp"

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

std::vector<RankResult> RankMeasurement::measure(Subject& subject, MeasuredRun& first) {
  if (!subject.has_ranks()) return {};
  std::vector<RankResult> results{result(subject, 0, first)};
  for (size_t rank = 1; rank < subject.ranks->ranks().size(); ++rank) {
    subject.ranks->use_as(rank);
    results.push_back(measure_rank(subject, rank));
  }
  subject.ranks->use_as(0);
  first.collectives();
  return results;
}

RankResult RankMeasurement::measure_rank(Subject& subject, size_t rank) {
  const RecordedRank& recorded = subject.ranks->ranks()[rank];
  print_error("measuring {} of {} ranks\n", rank + 1, subject.ranks->ranks().size());
  MeasuredRun run("compare", subject, arguments_.run.within(folder_name(recorded)));
  run.record(recorded.recording);
  run.program_iterations();
  EnergyMeters none;
  none.lack = subject.ranks->share_a_meter() ? kEnergyOfAllRanks : kNoEnergyOfRanks;
  iterations_.measure(run, arguments_.rounds, none, nullptr, nullptr);
  return result(subject, rank, run);
}

RankResult RankMeasurement::result(const Subject& subject, size_t rank, MeasuredRun& run) {
  const RecordedRank& recorded = subject.ranks->ranks()[rank];
  const Comparison comparison = iterations_.write_report(run, false);
  const auto& gpu = recorded.info.description;
  return {name_of(recorded),          gpu.value("name", ""),    gpu.value("uuid", ""),
          run.folder().string(),      recorded.recording,       comparison.times.launch_s,
          observation_in(run.rows()), comparison.times.whole_s, comparison.times.sum_s,
          comparison.judgement};
}

}  // namespace kjoule
