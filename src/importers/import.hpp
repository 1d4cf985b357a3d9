#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Far above any trace that a viewer opens, below what fills a workstation's memory.
inline constexpr uint64_t kMostImportBytes = uint64_t{4} << 30;

/// Reads a profiler trace (.json, .json.gz), kernel JSONL or CSV, kernel_signatures.json, kjoule's recording
/// or an imported table; what the file is shows in its first bytes. Throws Error for what cannot be read, is
/// none of these, or is damaged: a table is whole or not there.
ImportedTable import_file(const std::filesystem::path& path, const ImportChoice& choice,
                          uint64_t most_bytes = kMostImportBytes);
/// The same of a text that is not a recording.
ImportedTable import_text(PaddedText text, const ImportChoice& choice, const std::string& file);
/// The kernels of one recorded iteration; `source` is what it is of.
ImportedTable imported_recording(const Recording& recording, const std::string& source);
/// Traces of several ranks: the one of `rank`. Throws Error when several were given and none or no such
/// chosen.
ImportedTable import_files(const std::vector<std::string>& paths, const std::optional<int64_t>& rank,
                           const ImportChoice& choice, uint64_t most_bytes = kMostImportBytes);

}  // namespace kjoule
