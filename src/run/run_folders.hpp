#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file_lock.hpp"
#include "run/measured_run.hpp"

namespace kjoule {

/// Where the runs of one command go: one run into the folder itself, several each into a folder of its name
/// in it. The folder of several has a results.jsonl, too, which says so: older ones are moved aside, resumed
/// and refused as those of one run are.
class RunFolders {
 public:
  /// Throws Error as MeasuredRun does, before any of them is measured.
  RunFolders(const std::string& command, const RunOptions& options, const std::vector<std::string>& names);
  /// For the run of that name.
  RunOptions of(const std::string& name) const { return several_ ? options_.within(name) : options_; }
  bool several() const { return several_; }

 private:
  RunOptions options_;
  bool several_;
  std::optional<FileLock> lock_;
};

}  // namespace kjoule
