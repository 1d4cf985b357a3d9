#include "cuda/ranks/pending_idle.hpp"

#include <memory>

#include "base/process/quiet_thread.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/thread_state.hpp"

namespace kjoule::cuda {

PendingIdle::PendingIdle() {
  const auto done = std::make_shared<std::promise<CUresult>>();
  result_ = done->get_future();
  CUcontext context = nullptr;
  KJOULE_CU(cuCtxGetCurrent(&context));
  start_quiet_thread([done, context] {
    thread_state.exempt = true;
    const CUresult current = cuCtxSetCurrent(context);
    done->set_value(current == CUDA_SUCCESS ? cuCtxSynchronize() : current);
  }).detach();
}

bool PendingIdle::wait_for(std::chrono::milliseconds time) {
  if (result_.wait_for(time) != std::future_status::ready) return false;
  check(result_.get(), "cuCtxSynchronize");
  return true;
}

}  // namespace kjoule::cuda
