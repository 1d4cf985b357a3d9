#include "cuda/calls/call_in_stream.hpp"

#include <memory>
#include <utility>

namespace kjoule::cuda {

namespace {

void CUDA_CB call(void* function) {
  const std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()>*>(function));
  (*own)();
}

}  // namespace

bool put_into_stream(StreamCall asked) {
  auto own = std::make_unique<std::function<void()>>(std::move(asked.function));
  if (cuLaunchHostFunc(asked.stream, call, own.get()) != CUDA_SUCCESS) return false;
  own.release();  // call() frees it
  return true;
}

}  // namespace kjoule::cuda
