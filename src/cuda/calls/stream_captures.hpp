#pragma once
#include <cuda.h>

#include <algorithm>

namespace kjoule::cuda {

/// The stream captures that the program has in progress. Launches into a captured stream do not run.
class StreamCaptures {
 public:
  void begin() { ++open_; }
  void end() { open_ = std::max(0, open_ - 1); }
  bool any() const { return open_ > 0; }
  /// Returns whether the stream is being captured. Queries the driver only if a capture is in progress in any
  /// stream.
  bool contains(CUstream stream) const {
    if (!any()) return false;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
  }

 private:
  int open_ = 0;
};

}  // namespace kjoule::cuda
