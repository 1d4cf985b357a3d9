#pragma once
#include "importers/imported_table.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Sets tier, family, data type and category of each kernel by its name. A tier that the table states is
/// kept, unless one of the user's rules matches the name.
void classify(ImportedTable& table, KernelRules& rules);

}  // namespace kjoule
