#include "torch/runtime_memory.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace kjoule::runner {

namespace {

/// The functions cudaMemsetAsync and cudaMemcpyAsync (with the kind cudaMemcpyDefault) of the CUDA runtime
/// that torch has loaded.
using Set = int (*)(void* to, int value, size_t bytes, void* stream);
using Copy = int (*)(void* to, const void* from, size_t bytes, int kind, void* stream);
constexpr int kCopyDefault = 4;

template <class Function>
Function of_runtime(const char* name) {
  static auto* const found = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  if (found == nullptr)
    throw Error(std::string(name) + " was not found in this process",
                "use a torch package with CUDA, whose CUDA runtime contains this function");
  return found;
}

at::Tensor bytes_on(c10::Device device, int64_t bytes, bool pinned) {
  return at::zeros({bytes}, at::TensorOptions().dtype(at::kByte).device(device).pinned_memory(pinned));
}

}  // namespace

RuntimeMemory::RuntimeMemory(const ReplayCall& call, c10::Device device) {
  if (const auto* copy = std::get_if<MemoryCopy>(&call)) {
    const auto side = [&](bool host) {
      return bytes_on(host ? c10::Device(at::kCPU) : device, copy->bytes,
                      host && copy->pinned && !device.is_cpu());
    };
    to_ = side(copy->to_host);
    from_ = side(copy->from_host);
  } else {
    to_ = bytes_on(device, std::get<MemorySet>(call).bytes, false);
  }
}

void RuntimeMemory::run() {
  if (to_.is_cpu() && (!from_.defined() || from_.is_cpu())) {
    if (from_.defined())
      to_.copy_(from_);
    else
      to_.zero_();
    return;
  }
  const auto bytes = static_cast<size_t>(to_.nbytes());
  const int error = from_.defined()
                        ? of_runtime<Copy>("cudaMemcpyAsync")(to_.mutable_data_ptr(), from_.const_data_ptr(),
                                                              bytes, kCopyDefault, nullptr)
                        : of_runtime<Set>("cudaMemsetAsync")(to_.mutable_data_ptr(), 0, bytes, nullptr);
  if (error != 0)
    throw Error("the CUDA runtime refused a copy or memset with error " + std::to_string(error));
}

}  // namespace kjoule::runner
