#pragma once

namespace kjoule::child {

/// A named range of this thread for whoever listens to NVTX; nothing where nobody does.
class NvtxRange {
 public:
  explicit NvtxRange(const char* name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace kjoule::child
