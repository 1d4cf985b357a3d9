#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importers/import.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The part of traces and tables of other tools that is read, and the source of missing shapes.
struct TableRequest {
  ImportChoice choice;
  std::optional<int64_t> rank;  ///< chooses the trace of this rank from several traces
  std::string like;  ///< a trace that supplies operators and shapes for kernels that are equal in both
  uint64_t most_bytes = kMostImportBytes;
};

/// Reads the requested table from `paths`, which are files, or folders of an import or a run. Kernels without
/// operators or shapes get those of `request.like`, and then those of the model of `lender`, if it names one.
/// Throws Error.
ImportedTable read_table(const std::vector<std::string>& paths, const TableRequest& request,
                         const SubjectOptions& lender);

}  // namespace kjoule
