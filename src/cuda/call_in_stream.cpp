#include "cuda/call_in_stream.hpp"

#include <memory>
#include <utility>

#include "cuda/check.hpp"

namespace kjoule::cuda {

namespace {

void CUDA_CB call(void* function) {
  const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(function));
  (*own)();
}

}  // namespace

void call_in_stream(CUstream stream, std::function<void()> function) {
  auto own = std::make_unique<std::function<void()>>(std::move(function));
  KJOULE_CU(cuLaunchHostFunc(stream, call, own.get()));
  own.release();  // call() frees it
}

}  // namespace kjoule::cuda
