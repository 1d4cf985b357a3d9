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

  /// Measures each kernel alone, in a folder of its own. `subject` says device and threads. Throws Error
  /// when nothing of the table can be replayed.
  ReplayedTable run(const SubjectOptions& subject, const RunOptions& folder, KernelRules& rules);
  /// The header of that run.
  const nlohmann::json& header() const { return header_; }

 private:
  size_t copies(size_t call) const;
  std::vector<ReplayCall> makeable(const SubjectOptions& subject, Progress& progress);

  std::string file_;
  ImportOptions import_;
  ImportedTable table_;
  ReplayPlan plan_;
  std::vector<size_t> made_;  ///< which of the plan's calls an iteration makes, in order
  nlohmann::json header_;
};

/// Non-zero when a kernel could not be replayed, which stderr is told.
int replay_exit_code(const ReplayedTable& table);

}  // namespace kjoule
