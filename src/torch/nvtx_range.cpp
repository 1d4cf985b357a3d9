#include "torch/nvtx_range.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
// Without CUDA's headers, ranges are not reported to NVTX: such a build measures no program on a GPU.
static void nvtxRangePushA(const char*) {}
static void nvtxRangePop() {}
#endif

namespace kjoule::runner {

namespace {

thread_local std::vector<std::string> open;

}  // namespace

NvtxRange::NvtxRange(const std::string& name) {
  open.push_back(name);
  nvtxRangePushA(name.c_str());
}

NvtxRange::~NvtxRange() {
  nvtxRangePop();
  open.pop_back();
}

const std::vector<std::string>& open_ranges() {
  return open;
}

}  // namespace kjoule::runner
