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

/// Replays the kernels of a trace or table from their signatures, without the program or model.
class SignatureReplay {
 public:
  /// `source` is the user's name for the table.
  SignatureReplay(std::string source, ImportedTable table);
  const ImportedTable& table() const { return table_; }

  /// Makes each call once, to find which kernels can be replayed before anything is measured. Calls that
  /// fail, or whose tensors do not fit into memory, are omitted, and their kernels have the reason. `subject`
  /// gives device and threads. Throws Error if the calls could not be made at all.
  void try_calls(const SubjectOptions& subject);
  /// Returns a message that none of the kernels can be replayed, with the reason; empty if one can.
  std::string nothing_replayable() const;

  /// Measures each kernel in isolation, with a results folder of its own; matrix products next to operators
  /// have the folder `products` in it. Call it after try_calls(). Throws Error.
  ReplayedTable run(const SubjectOptions& subject, const RunOptions& folder, KernelRules& rules);
  /// Returns the table for a run() that failed or could not measure anything. Every kernel has a reason:
  /// `why`, unless the table gives another one.
  ReplayedTable failed_table(const std::string& why) const;
  /// Returns the header of the last run(); null before the first one.
  const nlohmann::json& header() const { return header_; }

 private:
  /// Calls that one program makes in one iteration: kjoule-torch those of operators and copies, kjoule-blas
  /// matrix products.
  struct Part {
    bool are_products = false;
    std::vector<ReplayCall> calls;  ///< in order
    std::vector<size_t> made;       ///< index in the plan of each of these calls
  };

  size_t copies(size_t call) const;
  std::map<size_t, std::string> refused_of(const SubjectOptions& subject, bool products) const;
  void run_part(const Part& part, const SubjectOptions& subject, const RunOptions& folder, KernelRules& rules,
                ReplayedTable& replayed);

  std::string source_;
  ImportedTable table_;
  ReplayPlan plan_;
  std::vector<Part> parts_;  ///< without empty ones
  nlohmann::json header_;
};

}  // namespace kjoule
