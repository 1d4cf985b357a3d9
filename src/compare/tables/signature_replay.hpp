#pragma once
// The replay of a table's kernels from their signatures: makes the calls of the table's ReplayPlan, measures
// their launches, and returns the ReplayedTable. read_table() (table_request) reads the table before.

#include <map>
#include <string>
#include <vector>

#include "compare/tables/replayed_table.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"
#include "run/results_folder.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Replays the kernels of a trace or table from their signatures, without the program or model.
class SignatureReplay {
 public:
  /// `source` is the name that the user gave for the table, such as its path.
  SignatureReplay(std::string source, ImportedTable table);
  const ImportedTable& table() const { return table_; }

  /// Returns a line that kernels of a GPU would be replayed on the CPU, so that their times would not be
  /// compared, and that cuBLAS would compute no product there. Returns an empty text for a GPU, and if the
  /// table has no such kernels. Call it before try_calls().
  std::string cpu_notice(const SubjectOptions& subject) const;
  /// Makes each call once, before anything is measured, to find the kernels that can be replayed. A call that
  /// fails, or whose tensors do not fit into memory, is omitted, and the reason is stored for its kernels.
  /// `subject` contains the device and the number of threads. Throws Error if no call could be made.
  void try_calls(const SubjectOptions& subject);
  /// Returns a message that none of the kernels can be replayed, with the reason; empty if at least one can.
  std::string nothing_replayable() const;

  /// Measures each kernel in isolation and writes the results folder `folder`. If the table has both
  /// operators and matrix products, the results of matrix products are in the subfolder `products`. Call this
  /// function after try_calls(). Throws Error if the calls cannot be recorded or measured.
  ReplayedTable run(const SubjectOptions& subject, const RunOptions& folder, KernelRules& rules);
  /// Returns the table for a run() that failed, in which no kernel is replayed. If the plan has no call for a
  /// kernel, the kernel's reason is that of the plan; otherwise it is `why`.
  ReplayedTable failed_table(const std::string& why) const;
  /// Returns the header of the rows of the last run(); null before the first run().
  const nlohmann::json& header() const { return header_; }

 private:
  /// The calls that one program makes in one iteration: kjoule-torch calls operators and copies, kjoule-blas
  /// computes matrix products.
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
  std::vector<Part> parts_;  ///< parts with at least one call
  nlohmann::json header_;
};

}  // namespace kjoule
