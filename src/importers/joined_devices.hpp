#pragma once
#include <string>
#include <vector>

#include "importers/imported_table.hpp"

namespace kjoule {

/// Joins the tables of the devices of one trace, of which there must be at least one. Throws Error if their
/// numbers of iterations differ, because then the counts would describe different parts of the program.
ImportedTable join_devices(std::vector<ImportedTable> tables, const std::string& file);

}  // namespace kjoule
