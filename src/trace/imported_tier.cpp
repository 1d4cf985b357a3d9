#include "trace/imported_tier.hpp"

namespace kjoule {

Tier tier_of_imported(ActivityKind kind, std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (kind != ActivityKind::kernel || name.starts_with("Memcpy ") || name.starts_with("Memset "))
    return Tier::cuda_runtime;
  if (has("cublas") || has("cudnn") || has("nvjet") || has("cutlass") || has("ncclDevKernel") ||
      has("ncclKernel"))
    return Tier::vendor_library;
  if (has("at::native::") || name.starts_with("triton_")) return Tier::framework;
  return Tier::unknown;
}

}  // namespace kjoule
