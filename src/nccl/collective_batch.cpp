#include "nccl/collective_batch.hpp"

namespace kjoule::nccl {

void LaunchedBatch::launch() {
  for (int i = 0; i < collectives(); ++i) issue_();
}

GraphBatch::GraphBatch(int collectives, const std::function<void()>& issue, const RankDriver& driver)
    : CollectiveBatch(collectives), driver_(driver) {
  constexpr const char* kNotCaptured = "the collectives could not be captured as a CUDA graph";
  driver_.check(driver_.cuStreamBeginCapture(driver_.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                kNotCaptured);
  for (int i = 0; i < collectives; ++i) issue();
  driver_.check(driver_.cuStreamEndCapture(driver_.stream(), &graph_), kNotCaptured);
  driver_.check(driver_.cuGraphInstantiate(&executable_, graph_, 0), kNotCaptured);
}

GraphBatch::~GraphBatch() {
  if (executable_ != nullptr) driver_.cuGraphExecDestroy(executable_);
  if (graph_ != nullptr) driver_.cuGraphDestroy(graph_);
}

void GraphBatch::launch() {
  driver_.check(driver_.cuGraphLaunch(executable_, driver_.stream()), "a CUDA graph could not be launched");
}

}  // namespace kjoule::nccl
