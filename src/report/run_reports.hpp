#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "recording/kernel_rules.hpp"
#include "recording/run_summary.hpp"
#include "report/kernel_names.hpp"
#include "run/run_energy.hpp"

namespace kjoule {

/// An observed run, as reports and timelines show it.
struct ShownRun {
  std::string title;  ///< the program's command line
  const RunLog& log;
  const RunSummary& summary;
  size_t other_processes = 0;  ///< number of other processes of the program that used CUDA
  const RunEnergy& energy;
};

/// Most bytes of the short names of kernels in the tables of a run.
inline constexpr size_t kRunNameLength = 29;

/// Returns the tables for a terminal: the run, its parts, its kernels. At most `most_kernels` kernels.
std::string run_text(const ShownRun& run, KernelRules& rules, size_t most_kernels,
                     NameStyle style = NameStyle::shortened);
/// Returns the report that docs/reference/schemas/run_report.schema.json describes.
nlohmann::ordered_json run_json(const ShownRun& run, KernelRules& rules);
/// Returns one JSON object per line for each kernel, as in run_json().
std::string run_jsonl(const ShownRun& run, KernelRules& rules);
/// Returns one line for each kernel, and a header with units.
std::string run_csv(const ShownRun& run, KernelRules& rules);

// Parts of the reports of one process, of which reports of several ranks are also made.

/// Returns the lines on what the log of a run lacks; empty if it is complete.
std::string log_faults_text(const ShownRun& run);
/// Returns the table of the parts of a run for a terminal, after an empty line.
std::string run_parts_text(const ShownRun& run);
/// Returns the fields of a report that describe no process: version of the format, title, origin of times.
nlohmann::ordered_json run_head_json(const std::string& title);
/// Returns the fields of a report that describe one process, except its kernels.
nlohmann::ordered_json run_facts_json(const ShownRun& run);

}  // namespace kjoule
