#pragma once
#include <string>
#include <vector>

#include "importers/profiler_trace.hpp"
#include "importers/sqlite_file.hpp"

namespace kjoule {

/// The tables of a database with CUDA activities. Tools add a version to the names of tables
/// (CUPTI_ACTIVITY_KIND_KERNEL_V2).
class NsysTables {
 public:
  /// `database` must outlive this object.
  explicit NsysTables(const SqliteFile& database);

  /// Returns the tables of a name, with and without a version.
  std::vector<std::string> versions_of(const std::string& name) const;
  /// Returns whether a table of this name exists; `name` is compared completely.
  bool contains(const std::string& name) const;
  /// Returns whether the name of a table begins with `prefix`.
  bool contains_prefix(const std::string& prefix) const;
  /// Returns the work of devices in tables that are not among `read`: graphs that were recorded as a whole,
  /// and activities of other kinds.
  std::vector<UnreadWork> unread_work(const std::vector<std::string>& read) const;

 private:
  const SqliteFile& database_;
  std::vector<std::string> names_;
};

/// The table in which Nsight Systems records launches of CUDA graphs as a whole, its default for graphs.
inline constexpr const char* kGraphTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

}  // namespace kjoule
