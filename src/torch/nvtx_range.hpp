#pragma once
#include <string>
#include <vector>

namespace kjoule::runner {

/// A named NVTX range of this thread. It is visible to tools that listen to NVTX, and to kjoule-torch's own
/// recorder. The range must end on the thread on which it began.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

/// Returns the names of this thread's open ranges, outermost first.
const std::vector<std::string>& open_ranges();

}  // namespace kjoule::runner
