#include "importers/classified_table.hpp"

namespace kjoule {

void classify(ImportedTable& table, KernelRules& rules) {
  for (ImportedKernel& kernel : table.kernels) {
    const KernelClass* is = rules.find(kernel.name);
    if (is == nullptr) continue;
    if (kernel.tier == Tier::unknown || rules.follows_user_rule(kernel.name)) kernel.tier = is->tier;
    kernel.family = is->family;
    kernel.dtype = is->dtype;
    kernel.category = is->category;
  }
  for (ImportedKernel& kernel : table.kernels) {
    // The table knows the type better than a rule that guesses it from the name.
    if (const auto stated = matrix_type_named(kernel.gemm.dtype)) kernel.dtype = *stated;
  }
}

}  // namespace kjoule
