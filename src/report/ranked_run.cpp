#include "report/ranked_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "recording/joint_kernels.hpp"
#include "report/more_rows.hpp"
#include "report/run_columns.hpp"
#include "report/run_names.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using RankColumn = TableColumn<ShownRank>;

double rank_ms(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}

RankColumn rank_number(const char* head, const char* meaning, Json (*value)(const ShownRank&), int decimals) {
  return RankColumn::number(head, "", meaning, "", Place::first_screen, value, decimals);
}

const std::vector<RankColumn>& rank_table() {
  static const std::vector<RankColumn> columns{
      RankColumn::on_screen("rank", "rank, or process id if the launcher does not state the rank",
                            Place::first_screen, [](const ShownRank& one) { return one.number(); }),
      rank_number(
          "launches", "number of launches by the rank; a CUDA graph is one launch",
          [](const ShownRank& one) { return Json(one.run.summary.launches); }, 0),
      rank_number(
          "waits", "number of calls in which the rank's host waited for the GPU",
          [](const ShownRank& one) { return Json(one.run.summary.synchronisations); }, 0),
      rank_number(
          "operations", "number of kernels, copies and memsets of the rank",
          [](const ShownRank& one) { return Json(one.run.summary.times.operations); }, 0),
      rank_number(
          "busy ms", "time in which at least one operation of the rank runs",
          [](const ShownRank& one) { return Json(rank_ms(one.run.summary.times.busy_ns)); }, 3),
      rank_number(
          "span ms", "time from the begin of the rank's first operation to the end of its last",
          [](const ShownRank& one) { return Json(rank_ms(one.run.summary.times.span_ns())); }, 3),
      rank_number(
          "energy J", "energy of the rank's GPU during the run, other programs' work included",
          [](const ShownRank& one) {
            return one.run.energy.missing.empty() ? Json(one.run.energy.joules) : Json();
          },
          1)};
  return columns;
}

/// The rows of the kernels of all ranks, and what they point to.
class RankedKernels {
 public:
  RankedKernels(const ShownRanks& ranks, KernelRules& rules, NameStyle style = NameStyle::shortened,
                size_t length = kShortNameLength)
      : ranks_(ranks),
        joint_(join_kernels(logs(ranks), summaries(ranks))),
        names_(names_of(joint_, style, length)) {
    for (const ShownRank& one : ranks.ranks) work_ns_ += one.run.summary.times.work_ns;
    for (const RunKernel& kernel : joint_.all)
      tiers_.push_back(tier_of(joint_.names[kernel.name].name, kernel.kind, rules));
  }
  RankedKernels(const RankedKernels&) = delete;
  RankedKernels& operator=(const RankedKernels&) = delete;

  size_t size() const { return joint_.all.size(); }
  const KernelNames& names() const { return names_; }

  /// Returns the row of a kernel (an index) of all ranks together.
  ObservedKernelRow of_all(size_t kernel) const {
    return row(joint_.all[kernel], kernel, work_ns_, {.shown = "all"});
  }
  /// Returns the rows of a kernel of the ranks that ran it, in order of rank.
  std::vector<ObservedKernelRow> of_ranks(size_t kernel) const {
    std::vector<ObservedKernelRow> rows;
    for (size_t i = 0; i < ranks_.ranks.size(); ++i) {
      const ShownRank& one = ranks_.ranks[i];
      if (joint_.of_process[i][kernel].count > 0)
        rows.push_back(row(joint_.of_process[i][kernel], kernel, one.run.summary.times.work_ns,
                           {one.number(), one.rank, one.process}));
    }
    return rows;
  }
  /// Returns the rows of all kernels of all ranks together.
  std::vector<ObservedKernelRow> rows_of_all() const {
    std::vector<ObservedKernelRow> rows;
    for (size_t kernel = 0; kernel < size(); ++kernel) rows.push_back(of_all(kernel));
    return rows;
  }
  /// Returns the rows of all kernels of each rank, kernel by kernel.
  std::vector<ObservedKernelRow> rows_of_ranks() const {
    std::vector<ObservedKernelRow> rows;
    for (size_t kernel = 0; kernel < size(); ++kernel)
      for (ObservedKernelRow& one : of_ranks(kernel)) rows.push_back(std::move(one));
    return rows;
  }

 private:
  static std::vector<const RunLog*> logs(const ShownRanks& ranks) {
    std::vector<const RunLog*> all;
    for (const ShownRank& one : ranks.ranks) all.push_back(&one.run.log);
    return all;
  }
  static std::vector<const RunSummary*> summaries(const ShownRanks& ranks) {
    std::vector<const RunSummary*> all;
    for (const ShownRank& one : ranks.ranks) all.push_back(&one.run.summary);
    return all;
  }
  static KernelNames names_of(const JointKernels& joint, NameStyle style, size_t length) {
    return KernelNames::of_all(
        joint.names, [](const LoggedName& name) { return name.name; }, style, length);
  }
  ObservedKernelRow row(const RunKernel& kernel, size_t index, int64_t work_ns, RankOfRow rank) const {
    return {&joint_.names[kernel.name], &kernel, &names_, work_ns, tiers_[index], std::move(rank)};
  }

  const ShownRanks& ranks_;
  const JointKernels joint_;
  const KernelNames names_;
  std::vector<Tier> tiers_;  ///< by index in joint_.all
  int64_t work_ns_ = 0;      ///< sum of the durations of all operations of all ranks
};

/// Returns a line on each GPU's energy that was not measured, once for each reason.
std::string missing_energy_text(const ShownRanks& ranks) {
  std::vector<std::string> reasons;
  for (const ShownRank& one : ranks.ranks)
    if (const std::string& why = one.run.energy.missing;
        !why.empty() && std::ranges::find(reasons, why) == reasons.end())
      reasons.push_back(why);
  std::string text;
  for (const std::string& why : reasons) text += wrapped("  energy  ", "not measured: " + why);
  return text;
}

std::string ranks_head_text(const ShownRanks& ranks) {
  std::string text = shortened(ranks.title, kReportWidth) + "\n";
  text += fmt::format("  ranks   {} processes that worked on a GPU\n", ranks.ranks.size());
  text += "  times   measured by the profiler (CUPTI), which makes GPU work 2 to 6 % longer\n";
  text += missing_energy_text(ranks);
  for (const ShownRank& one : ranks.ranks)
    if (const std::string lacks = log_faults_text(one.run); !lacks.empty())
      text += fmt::format("  rank {}\n{}", one.number(), lacks);
  if (ranks.other_processes > 0)
    text += fmt::format("  others  {} more processes of the program used CUDA, but did no work on a GPU\n",
                        ranks.other_processes);
  const ShownColumns<ShownRank> columns(rank_table(), Place::first_screen, ranks.ranks, ColumnGaps{2, 2});
  text += "\n" + columns.heads() + "\n";
  for (const ShownRank& one : ranks.ranks) text += columns.cells(one) + "\n";
  return text;
}

/// Returns a kernel's row of all ranks and those of each rank; only the latter if one rank ran it.
std::vector<ObservedKernelRow> joint_rows(const RankedKernels& kernels, size_t kernel) {
  std::vector<ObservedKernelRow> rows = kernels.of_ranks(kernel);
  if (rows.size() > 1) rows.insert(rows.begin(), kernels.of_all(kernel));
  return rows;
}

std::string ranked_kernels_text(const RankedKernels& kernels, size_t most_kernels) {
  const size_t shown = std::min(kernels.size(), most_kernels);
  std::vector<ObservedKernelRow> rows;
  for (size_t kernel = 0; kernel < shown; ++kernel)
    for (ObservedKernelRow& row : joint_rows(kernels, kernel)) rows.push_back(std::move(row));
  const ShownColumns<ObservedKernelRow> columns(observed_kernel_columns(), Place::first_screen, rows,
                                                ColumnGaps{});
  // The names of kernels are in lines of their own, above their numbers.
  std::string text = fmt::format("\nkernel\n{}\n", columns.heads());
  const LoggedName* above = nullptr;
  for (const ObservedKernelRow& row : rows) {
    if (row.name != above) text += kernels.names().row("", row.name->name, sizes_of(*row.name));
    text += columns.cells(row) + "\n";
    above = row.name;
  }
  return text + more_rows_line(kernels.size() - shown);
}

Json objects_of_rows(const std::vector<ObservedKernelRow>& rows) {
  Json list = Json::array();
  for (const ObservedKernelRow& row : rows) list.push_back(json_object(observed_kernel_columns(), row));
  return list;
}

}  // namespace

std::string ranked_run_text(const ShownRanks& ranks, KernelRules& rules, size_t most_kernels,
                            NameStyle style) {
  std::string text = ranks_head_text(ranks);
  for (const ShownRank& one : ranks.ranks)
    text += fmt::format("\nrank {}{}", one.number(), run_parts_text(one.run));
  return text + ranked_kernels_text(RankedKernels(ranks, rules, style, kRunNameLength), most_kernels);
}

nlohmann::ordered_json ranked_run_json(const ShownRanks& ranks, KernelRules& rules) {
  Json json = run_head_json(ranks.title);
  uint64_t launches = 0, synchronisations = 0;
  Json of_ranks = Json::array();
  for (const ShownRank& one : ranks.ranks) {
    launches += one.run.summary.launches;
    synchronisations += one.run.summary.synchronisations;
    Json rank = Json::object();
    if (one.rank) rank["rank"] = *one.rank;
    rank["process"] = one.process;
    rank.update(run_facts_json(one.run));
    of_ranks.push_back(std::move(rank));
  }
  json["launches"] = launches;
  json["synchronisations"] = synchronisations;
  json["other_processes"] = ranks.other_processes;
  json["ranks"] = std::move(of_ranks);
  const RankedKernels kernels(ranks, rules);
  json["kernels"] = objects_of_rows(kernels.rows_of_ranks());
  json["all_ranks"] = objects_of_rows(kernels.rows_of_all());
  return json;
}

std::string ranked_run_jsonl(const ShownRanks& ranks, KernelRules& rules) {
  const RankedKernels kernels(ranks, rules);
  std::string text;
  for (const ObservedKernelRow& row : kernels.rows_of_ranks())
    text += json_object(observed_kernel_columns(), row).dump() + "\n";
  return text;
}

std::string ranked_run_csv(const ShownRanks& ranks, KernelRules& rules) {
  const RankedKernels kernels(ranks, rules);
  return csv_text(observed_kernel_columns(), kernels.rows_of_ranks());
}

TableColumns observed_rank_columns() {
  return {"the ranks of a program", explained(rank_table(), Place::first_screen)};
}

}  // namespace kjoule
