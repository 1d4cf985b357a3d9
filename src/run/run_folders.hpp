#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/files/file_lock.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// The folders of the runs of one command. A single run uses the results folder itself. If there are several
/// runs, each uses a subfolder with the run's name, and results.jsonl in the results folder contains these
/// names. A results folder with subfolders is renamed, resumed and refused like the folder of a single run.
class RunFolders {
 public:
  /// Prepares the folders. Throws Error like MeasuredRun, before any run is measured.
  RunFolders(const std::string& command, const RunOptions& options, const std::vector<std::string>& names);
  /// Returns the options of the run `name`.
  RunOptions of(const std::string& name) const { return several_ ? options_.within(name) : options_; }
  bool several() const { return several_; }

 private:
  RunOptions options_;
  bool several_;
  std::optional<FileLock> lock_;
};

}  // namespace kjoule
