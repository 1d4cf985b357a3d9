#pragma once
#include <optional>
#include <string>

#include "torch/nvtx_range.hpp"
#include "torch/operator.hpp"

namespace kjoule::child {

/// Stands where a watch would, and puts a range around the span instead: around all that is launched between
/// the first start and the last stop, on the thread that launches it, which for a backward on a GPU is one of
/// libtorch's own. The first pass tells how many stops there are; the range comes from the second on.
class RangedSpan final : public Stopwatch {
 public:
  explicit RangedSpan(std::string name) : name_(std::move(name)) {}
  void start() override;
  void stop() override;
  /// Behind each pass. Throws Error when its span was not that of the first.
  void end_pass();

 private:
  std::string name_;
  std::optional<NvtxRange> range_;
  bool started_ = false;
  size_t stops_ = 0;  ///< in this pass
  size_t all_stops_ = 0;
};

}  // namespace kjoule::child
