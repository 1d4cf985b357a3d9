#pragma once
#include <string>
#include <vector>

namespace kjoule::child {

/// A named range of this thread, for whoever listens to NVTX and for kjoule-torch's own recorder. It ends on
/// the thread on which it began.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

/// The names of this thread's, the outermost first.
const std::vector<std::string>& open_ranges();

}  // namespace kjoule::child
