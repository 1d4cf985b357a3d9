#include "torch/nvtx_stopwatch.hpp"

#include <utility>

#include "base/error.hpp"

namespace kjoule::runner {

void NvtxStopwatch::start() {
  if (!std::exchange(started_, true) && all_stops_ > 0) range_.emplace(name_);
}

void NvtxStopwatch::stop() {
  if (started_ && ++stops_ == all_stops_) range_.reset();
}

void NvtxStopwatch::end_pass() {
  if (stops_ == 0) throw Error("the operator launched no work on the GPU, so it cannot be timed");
  if (all_stops_ == 0) all_stops_ = stops_;
  if (stops_ != all_stops_)
    throw Error("the operator's passes differ: its inputs have gradients in some passes only");
  started_ = false;
  stops_ = 0;
}

}  // namespace kjoule::runner
