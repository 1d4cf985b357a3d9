#include "run/run_rows.hpp"

#include "base/error.hpp"

namespace kjoule {

nlohmann::json run_header(const RowList& rows) {
  nlohmann::json header = rows.header();
  header.erase("kind");
  for (nlohmann::json load : rows.descriptions("load")) {
    load.erase("kind");
    header["load"].push_back(std::move(load));
  }
  return header;
}

ProgramIterations program_iterations_in(const RowList& rows) {
  if (auto full = rows.first<ProgramIterations>()) return *std::move(full);
  throw Error("the results folder contains no times of the program's own iterations",
              "measure them with kjoule full");
}

std::optional<Observation> observation_in(const RowList& rows) {
  auto timeline = rows.first<ReadTimeline>();
  if (!timeline) return std::nullopt;
  if (!timeline->error.empty()) throw Error(timeline->error);
  return std::move(timeline->observation);
}

std::map<uint32_t, std::string> excluded_kernels(const RowList& rows) {
  std::map<uint32_t, std::string> excluded;
  for (const auto& row : rows.all<ExcludedKernel>()) excluded.emplace(row.kernel, row.error);
  return excluded;
}

std::set<LaunchIndex> excluded_launches(const KernelTable& table, const RowList& rows) {
  std::set<LaunchIndex> excluded;
  for (const auto& [kernel, why] : excluded_kernels(rows))
    excluded.insert(table.kernels.at(kernel).places.begin(), table.kernels.at(kernel).places.end());
  return excluded;
}

TimedIteration measured_iteration(const Recording& recording, const KernelTable& table, const RowList& rows) {
  TimedIteration iteration = timed_iteration(recording, excluded_launches(table, rows));
  const auto part = rows.first<MeasuredPart>();
  const auto verified = rows.first<VerifiedReplay>();
  // The iterations of a loop begin with the results of the iteration before them in the program, too.
  iteration.changes_inputs = part && !part->facts.is_loop && verified && verified->found.changes_inputs;
  const auto planned = rows.first<PlannedRounds>();
  const auto* plan = planned ? std::get_if<StampedPlan>(&planned->plan) : nullptr;
  iteration.restores = plan != nullptr && plan->restores && iteration.excluded.empty();
  return iteration;
}

std::optional<double> idle_w_in(const RowList& rows) {
  const auto idle = rows.first<IdlePower>();
  return idle ? idle->mean_w : std::nullopt;
}

}  // namespace kjoule
