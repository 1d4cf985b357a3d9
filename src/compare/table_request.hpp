#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importers/import.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Which part of traces and tables of other tools is read, and what supplies missing shapes.
struct TableRequest {
  ImportChoice choice;
  std::optional<int64_t> rank;  ///< of several traces, the one of this rank
  std::string like;             ///< a trace that supplies operators and shapes where kernels agree
  uint64_t most_bytes = kMostImportBytes;
};

/// Reads the requested one of `paths`: files, or folders of an import or a run. Kernels without operators or
/// shapes get those of `request.like`, and then those of the model of `lender`, if it names one. Throws
/// Error.
ImportedTable read_table(const std::vector<std::string>& paths, const TableRequest& request,
                         const SubjectOptions& lender);

}  // namespace kjoule
