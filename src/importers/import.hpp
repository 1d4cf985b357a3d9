#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Size limit of an imported file, in bytes after decompression. It is far above any trace that a viewer
/// opens, and below the memory of a workstation.
inline constexpr uint64_t kMostImportBytes = uint64_t{4} << 30;

/// Reads a profiler trace (.json, .json.gz), kernel JSONL or CSV, kernel_signatures.json,
/// kernel_categories_breakdown.json, a kjoule recording or an imported table. The type is recognised by the
/// beginning of the text. Throws Error for files that cannot be read, have another type, or are damaged; it
/// never returns a part of a table.
ImportedTable import_file(const std::filesystem::path& path, const ImportChoice& choice,
                          uint64_t most_bytes = kMostImportBytes);
/// Imports the text of a file; `file` is its name in errors and in the table. Recognises the same types as
/// import_file().
ImportedTable import_text(PaddedText text, const ImportChoice& choice, const std::string& file);
/// Returns the kernels of a recorded iteration. `source` is the name of the recording.
ImportedTable import_recording(const Recording& recording, const std::string& source);
/// Imports the trace of `rank` from several traces, usually those of a distributed program's ranks, or
/// without a rank all of them into one table (join_ranks()). A single file needs no rank. Throws Error if no
/// file has the rank, if two files have the same one, or if several files are given of which one has no rank.
ImportedTable import_files(const std::vector<std::string>& paths, const std::optional<int64_t>& rank,
                           const ImportChoice& choice, uint64_t most_bytes = kMostImportBytes);

}  // namespace kjoule
