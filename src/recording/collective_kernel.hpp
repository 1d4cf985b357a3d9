#pragma once
#include <string_view>

namespace kjoule {

/// Returns whether a kernel is one of NCCL's that exchange data with other ranks, from its name, which may be
/// mangled.
inline bool is_nccl_kernel(std::string_view name) {
  return name.find("ncclDevKernel") != std::string_view::npos ||
         name.find("ncclKernel") != std::string_view::npos;
}

}  // namespace kjoule
