#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "base/padded_text.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

inline constexpr const char* kImportedFormat = "kjoule-kernels";
inline constexpr int kImportedVersion = 1;
inline constexpr const char* kImportedFile = "kernels.jsonl";  ///< its name in the folder of an import

/// One kernel of the table, times in us; what is unknown is absent, `count` and `iterations` null.
nlohmann::ordered_json kernel_to_json(const ImportedTable& table, const ImportedKernel& kernel);
/// What is true of the whole table: source, format, iterations, warnings.
nlohmann::ordered_json table_to_json(const ImportedTable& table);
/// A header line, then a line for each kernel.
std::string imported_text(const ImportedTable& table);
/// The other way round. Throws Error naming file and line for another version, for what is missing or of the
/// wrong type, and when there are fewer kernels than the header says.
ImportedTable read_imported(const PaddedText& text, const std::string& file);

}  // namespace kjoule
