#include "compare/changes/kernel_matches.hpp"

#include <map>
#include <string>

namespace kjoule {

namespace {

using Kernels = std::vector<BaselineKernel>;

/// Returns the text that is equal for kernels of this likeness.
std::string key_of(const BaselineKernel& kernel, KernelLikeness likeness) {
  if (likeness == KernelLikeness::name) return kernel.name;
  if (likeness == KernelLikeness::same) return kernel.name + '\n' + kernel.form;
  // "<<<8x1x1, 256x1x1, 0>>> 1f2e3d4c" ends with the hash. Other forms have none.
  const size_t launch = kernel.form.rfind(">>>");
  return kernel.name + '\n' + kernel.form.substr(0, launch == std::string::npos ? launch : launch + 3);
}

/// Returns the kernels that have no counterpart yet, by their key_of().
std::map<std::string, std::vector<uint32_t>> open_kernels(const Kernels& kernels,
                                                          const std::vector<bool>& matched,
                                                          KernelLikeness likeness) {
  std::map<std::string, std::vector<uint32_t>> open;
  for (uint32_t k = 0; k < kernels.size(); ++k)
    if (!matched[k]) open[key_of(kernels[k], likeness)].push_back(k);
  return open;
}

}  // namespace

std::vector<KernelMatch> match_kernels(const Kernels& before, const Kernels& after) {
  std::vector<KernelMatch> matches;
  std::vector<bool> matched_before(before.size()), matched_after(after.size());
  for (const KernelLikeness likeness : {KernelLikeness::same, KernelLikeness::values, KernelLikeness::name}) {
    const auto open_after = open_kernels(after, matched_after, likeness);
    for (const auto& [key, candidates] : open_kernels(before, matched_before, likeness)) {
      const auto found = open_after.find(key);
      if (found == open_after.end() || found->second.size() != candidates.size()) continue;
      for (size_t i = 0; i < candidates.size(); ++i) {
        matches.push_back({candidates[i], found->second[i], likeness});
        matched_before[candidates[i]] = matched_after[found->second[i]] = true;
      }
    }
  }
  return matches;
}

}  // namespace kjoule
