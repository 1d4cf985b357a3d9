#include "cli/compare/iteration_measurement.hpp"

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "cli/power/own_log.hpp"
#include "report/console.hpp"
#include "report/isolated_timing.hpp"
#include "report/iteration_timeline.hpp"
#include "report/json_reports.hpp"

namespace kjoule {

namespace {

/// Longest time for measuring kernels in isolation, s. They are not part of the verdict.
constexpr double kMostIsolated_s = 15;

/// Returns the iterations of all ranks as they ran them, by the profilers of their processes.
Timeline timeline_of_ranks(const std::string& title, const std::vector<RankResult>& ranks) {
  std::vector<Timeline> timelines;
  for (const RankResult& rank : ranks)
    timelines.push_back(rank.seen ? make_timeline(title, rank.recording, rank.seen->iteration) : Timeline());
  return join_timelines(title, std::move(timelines));
}

}  // namespace

void IterationMeasurement::take_facts(const EnergyMeters& meters) {
  if (!meters.meters.empty() && meters.block_s > 0) logged_ = meters.meters.back()->facts();
}

void IterationMeasurement::read_table() {
  if (arguments_.subject.iterations.find("..") == std::string::npos)
    arguments_.replay.import.take(arguments_.subject.take_iterations(), {}, {});
  table_.emplace(arguments_.replay.read(rules_, of_replay()));
  arguments_.run.refuse_folder();
  tell_cpu_notice(*table_, of_replay());
  try {
    table_->try_calls(of_replay());
  } catch (const Error& error) {
    if (arguments_.subject.program.empty()) throw;
    throw Error(error.what(), "omit --kernels: the program's own kernels are measured without it");
  }
  // The whole and its sum can be measured without the replay.
  if (const std::string why = table_->nothing_replayable(); !why.empty())
    print_error("{}; the program or model is measured without this replay\n", why);
}

void IterationMeasurement::measure(MeasuredRun& run, const RoundOptions& rounds, EnergyMeters& meters,
                                   const EnergyOptions* energy, ComparisonScreen* screen) const {
  // First, because it times the whole before anything else exists on the device.
  run.rounds(rounds);
  const bool is_printed = screen != nullptr && !meters.meters.empty();
  if (is_printed) screen->print_times(compare_iteration(run.recording(), run.rows(), rules_));
  // On a CPU, the energy of kernels is measured only by their blocks.
  if (energy != nullptr && (meters.block_s <= 0 || run.can_leave_out_kernels())) {
    run.energy(meters, *energy);
    if (is_printed) screen->print_energy(compare_iteration(run.recording(), run.rows(), rules_));
  }
  run.overlapped();
  run.observe();
  // A kernel that is repeated back to back may fault or never end, which would end an attached server. Blocks
  // for a power log, which the user must request for such a program, do the same.
  if (!arguments_.subject.attach.is_given() || meters.block_s > 0) run.isolated(kMostIsolated_s);
  if (run.repeats_iteration()) {
    run.meter_blocks(meters, arguments_.energy.block_kernels);
    run.meter_differences(meters, arguments_.energy.block_kernels);
  }
  if (arguments_.energy.align) run.play_load(meters);
  run.end_power(meters);
}

Comparison IterationMeasurement::write_report(MeasuredRun& run, bool with_table,
                                              const std::vector<RankResult>& ranks) {
  std::optional<ReplayedTable> table;
  if (with_table && arguments_.replay.asked()) table = replayed();
  Comparison comparison = compare_iteration(run.recording(), run.rows(), rules_, table);
  comparison.ranks = ranks;
  if (const auto replayed = run.rows().first<ReplayedCollectives>()) {
    comparison.collectives = collective_results(ranks, *replayed);
    comparison.collectives_missing = replayed->error;
  }
  if (!ranks.empty()) comparison.watched = run.rows().first<WatchedRanks>();
  auto full = full_model_timing(comparison.run, comparison.program_iterations);
  auto isolated = isolated_kernels_timing(comparison.run, isolated_results(run.table(), run.rows(), rules_),
                                          run.rows(), &comparison);
  if (const auto played = run.rows().first<PlayedLoad>())
    full["load_pattern"] = isolated["load_pattern"] = load_pattern_json(*played);
  full["power_meter"] = isolated["power_meter"] = power_meter_json(logged_);
  write_json(run.folder() / "full_model_timing.json", full);
  write_json(run.folder() / "isolated_kernels_timing.json", isolated);
  write_json(run.folder() / "comparison_report.json",
             comparison_report(comparison, arguments_.most_details()));
  write_atomic(run.folder() / "summary.csv", kernels_csv(comparison.kernels, &comparison));
  return comparison;
}

std::string IterationMeasurement::log_text(const MeasuredRun& run) const {
  const auto log = logged_ ? integrate_own_logs(run.folder(), *logged_) : std::nullopt;
  if (!log) return "";
  return "\n" + energy_text(*log, arguments_.most_details(), arguments_.full_names.style()) + "\n";
}

void IterationMeasurement::write_timeline(const MeasuredRun& run, const Comparison& comparison) const {
  if (!arguments_.timeline.asked()) return;
  const NameStyle style = arguments_.full_names.style();
  if (!comparison.ranks.empty())
    arguments_.timeline.write(timeline_of_ranks(run_header(run.rows()).at("title"), comparison.ranks), style);
  else if (auto timeline = iteration_timeline(run.recording(), run.rows(), comparison))
    arguments_.timeline.write(*std::move(timeline), style);
}

ReplayedTable IterationMeasurement::replayed() {
  if (const std::string why = table_->nothing_replayable(); !why.empty()) return table_->failed_table(why);
  try {
    const RunOptions folder = arguments_.run.within("replay");
    const ReplayedTable replayed = table_->run(of_replay(), folder, rules_);
    write_replay_files(folder.folder(), table_->header(), replayed);
    return replayed;
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    return table_->failed_table(error.line());
  }
}

SubjectOptions IterationMeasurement::of_replay() const {
  SubjectOptions options = arguments_.subject;
  if (!options.program.empty()) options.device = "cuda";
  return options;
}

}  // namespace kjoule
