#pragma once
#include "importers/imported_table.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Gives each kernel the class that its name tells. A tier that the source itself told stays,
/// unless the user's own rules say another.
void classify(ImportedTable& table, KernelRules& rules);

}  // namespace kjoule
