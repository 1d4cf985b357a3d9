#pragma once
#include <optional>
#include <string>

#include "torch/nvtx_range.hpp"
#include "torch/operator.hpp"

namespace kjoule::runner {

/// A Stopwatch that encloses the span in an NVTX range instead of timing it. The range contains all launches
/// between the first start and the last stop of a pass. It is on the thread that makes the launches (for the
/// backward on a GPU, a thread of libtorch). The first pass has no range: it only counts the stops, so that
/// later passes know their last stop.
class NvtxStopwatch final : public Stopwatch {
 public:
  explicit NvtxStopwatch(std::string name) : name_(std::move(name)) {}
  void start() override;
  void stop() override;
  /// Ends a pass; call it after each pass. Throws Error if the pass had no stop, or a different number of
  /// stops than the first pass.
  void end_pass();

 private:
  std::string name_;
  std::optional<NvtxRange> range_;
  bool started_ = false;
  size_t stops_ = 0;  ///< number of stops in this pass
  /// Number of stops in the first pass; 0 before it has ended.
  size_t all_stops_ = 0;
};

}  // namespace kjoule::runner
