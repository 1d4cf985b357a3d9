#pragma once
#include <vector>

#include "importers/imported_table.hpp"

namespace kjoule {

/// Joins the tables of several ranks of one program into one, with the rank of each kernel as its GPU and one
/// timeline. Each table must have a rank, and no two the same. Throws Error if the tables count different
/// numbers of iterations, so that their counts could not be compared.
ImportedTable join_ranks(std::vector<ImportedTable> tables);

}  // namespace kjoule
