#pragma once
#include "importers/imported_table.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Sets the class of each kernel by its name. A tier from the source itself is kept, unless the user's own
/// rules set another one.
void classify(ImportedTable& table, KernelRules& rules);

}  // namespace kjoule
