#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/run_reports.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// One rank of an observed program: a process that worked on a GPU.
struct ShownRank {
  std::optional<int> rank;  ///< nothing if the program's launcher does not state it
  int process = 0;          ///< process id
  ShownRun run;

  /// Returns the rank, or the process id if the rank is not known.
  std::string number() const { return std::to_string(rank.value_or(process)); }
};

/// An observed program of several ranks.
struct ShownRanks {
  std::string title;             ///< the program's command line
  std::vector<ShownRank> ranks;  ///< in order of rank; at least two
  size_t other_processes = 0;    ///< number of processes that used CUDA, but did no work on a GPU
};

/// Returns the tables for a terminal: the ranks, the parts of each, and the kernels of all ranks together and
/// of each. At most `most_kernels` kernels.
std::string ranked_run_text(const ShownRanks& ranks, KernelRules& rules, size_t most_kernels,
                            NameStyle style = NameStyle::shortened);
/// Returns the report that docs/reference/schemas/run_report.schema.json describes.
nlohmann::ordered_json ranked_run_json(const ShownRanks& ranks, KernelRules& rules);
/// Returns one JSON object per line for each kernel of each rank.
std::string ranked_run_jsonl(const ShownRanks& ranks, KernelRules& rules);
/// Returns one line for each kernel of each rank, and a header with units.
std::string ranked_run_csv(const ShownRanks& ranks, KernelRules& rules);
/// Returns the columns of the table of ranks.
TableColumns observed_rank_columns();

}  // namespace kjoule
