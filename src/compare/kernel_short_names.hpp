#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"
#include "names/short_names.hpp"

namespace kjoule {

/// Returns the short names of the kernels of a comparison, which its sentences and tables use.
inline ShortNames short_names_of(const std::vector<KernelResult>& kernels) {
  std::vector<std::string> names;
  for (const KernelResult& kernel : kernels) names.push_back(kernel.name);
  return ShortNames(names);
}

}  // namespace kjoule
