#pragma once
#include <string>

#include "cli/import_options.hpp"
#include "cli/measured_run.hpp"
#include "results/replayed.hpp"
#include "trace/replay_plan.hpp"

namespace kjoule {

/// The kernels of a trace or table, replayed from what that says of them alone: without program or model.
class SignatureReplay {
 public:
  void declare(CLI::App& app);
  bool asked() const { return !file_.empty(); }
  /// What stands in --kernels, before anything is measured. A model in `subject` lends what lacks shapes.
  /// Throws Error.
  void read(KernelRules& rules, const SubjectOptions& subject);
  ImportOptions& import_options() { return import_; }
  /// Makes each call once, to tell which kernels can be replayed before anything is measured. `subject` says
  /// device and threads. Throws Error when there is nothing that could make them.
  void try_calls(const SubjectOptions& subject);
  /// That none of the kernels can be replayed, and why; empty where one can.
  std::string nothing_replayable() const;

  /// Measures each kernel alone, in a folder of its own, after try_calls(). Throws Error.
  ReplayedTable run(const SubjectOptions& subject, const RunOptions& folder, KernelRules& rules);
  /// The table of a run() that failed, or could measure nothing: every kernel says why, `why` where the table
  /// gives no other reason.
  ReplayedTable unplayed(const std::string& why) const;
  /// The header of that run.
  const nlohmann::json& header() const { return header_; }

 private:
  size_t copies(size_t call) const;

  std::string file_;
  ImportOptions import_;
  ImportedTable table_;
  ReplayPlan plan_;
  std::vector<ReplayCall> calls_;  ///< that an iteration makes, in order
  std::vector<size_t> made_;       ///< which of the plan's each of them is
  nlohmann::json header_;
};

/// Non-zero when a kernel could not be replayed, which stderr is told.
int replay_exit_code(const ReplayedTable& table);

}  // namespace kjoule
