#pragma once
#include <map>
#include <string>
#include <vector>

#include "compare/replayed_table.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"
#include "run/results_folder.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Replays the kernels of a trace or table from what the table says of them: without program or model.
class SignatureReplay {
 public:
  /// `source` is what the user called the table.
  SignatureReplay(std::string source, ImportedTable table);
  const ImportedTable& table() const { return table_; }

  /// Makes each call once, to find which kernels can be replayed before anything is measured. `subject` gives
  /// device and threads. Throws Error when nothing could make them.
  void try_calls(const SubjectOptions& subject);
  /// Returns that none of the kernels can be replayed, and why; empty where one can.
  std::string nothing_replayable() const;

  /// Measures each kernel in isolation, in a folder of its own, after try_calls(). Throws Error.
  ReplayedTable run(const SubjectOptions& subject, const RunOptions& folder, KernelRules& rules);
  /// Returns the table of a run() that failed, or could measure nothing: every kernel says why, `why` where
  /// the table gives no other reason.
  ReplayedTable unplayed(const std::string& why) const;
  /// The header of the last run().
  const nlohmann::json& header() const { return header_; }

 private:
  size_t copies(size_t call) const;

  std::string source_;
  ImportedTable table_;
  ReplayPlan plan_;
  std::vector<ReplayCall> calls_;  ///< of an iteration, in order
  std::vector<size_t> made_;       ///< place in the plan of each of them
  nlohmann::json header_;
};

}  // namespace kjoule
