#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "base/files/padded_text.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

inline constexpr const char* kImportedFormat = "kjoule-kernels";
inline constexpr const char* kImportedFile = "kernels.jsonl";  ///< the file's name in the folder of an import

/// Returns one kernel of the table as JSON, with times in us. Unknown numbers are null, except `gpu`. `gpu`
/// and other values are absent if they are unknown.
nlohmann::ordered_json kernel_to_json(const ImportedTable& table, const ImportedKernel& kernel);
/// Returns the properties of the whole table as JSON: source, format, iterations, warnings.
nlohmann::ordered_json table_to_json(const ImportedTable& table);
/// Returns the table as the text of a file: a header line, then one line for each kernel.
std::string imported_table_text(const ImportedTable& table);
/// Reads the text that imported_table_text() returns. Throws Error with file and line if the version differs,
/// a field is missing or has the wrong type, or the number of kernels differs from the header's.
ImportedTable read_imported_table(const PaddedText& text, const std::string& file);

}  // namespace kjoule
