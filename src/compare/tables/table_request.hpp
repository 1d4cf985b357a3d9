#pragma once
// The reading of the table that a command names, with shapes from other files or a model. Nothing is replayed
// here, except that kernels_of_model() (model_kernels) runs a model.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importers/import.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// The part of a trace or table of another tool that is to be read, and the source of missing shapes.
struct TableRequest {
  ImportChoice choice;
  std::optional<int64_t> rank;  ///< if there are several traces, the trace of this rank is read
  std::string like;             ///< path of a trace that supplies operators and shapes of equal kernels
  bool needs_timeline = false;  ///< whether a file without times of single launches is refused
  uint64_t most_bytes = kMostImportBytes;  ///< largest size of the text that is read
};

/// Reads the requested table from `paths`: files, or folders of an import or a run. Kernels without operators
/// or shapes get the operators and shapes of equal kernels in `request.like`. If `request.like` has no equal
/// kernel and `lender` names a model, those of equal kernels in this model are used. Throws Error if a path
/// cannot be read.
ImportedTable read_table(const std::vector<std::string>& paths, const TableRequest& request,
                         const SubjectOptions& lender);

}  // namespace kjoule
