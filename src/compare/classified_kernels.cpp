#include "compare/classified_kernels.hpp"

namespace kjoule {

void classify(std::vector<KernelResult>& kernels, KernelRules& rules) {
  for (KernelResult& kernel : kernels) {
    const KernelClass* is = rules.find(kernel.name);
    if (is == nullptr) continue;
    kernel.tier = is->tier;
    kernel.family = is->family;
    kernel.dtype = is->dtype;
    kernel.category = is->category;
  }
}

}  // namespace kjoule
