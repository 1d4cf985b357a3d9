#include "nvtx_range.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
// Built without CUDA's headers: no GPU's program is measured with it either.
static void nvtxRangePushA(const char*) {}
static void nvtxRangePop() {}
#endif

namespace kjoule::child {

NvtxRange::NvtxRange(const char* name) {
  nvtxRangePushA(name);
}

NvtxRange::~NvtxRange() {
  nvtxRangePop();
}

}  // namespace kjoule::child
