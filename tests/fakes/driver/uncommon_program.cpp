// A program that uses CUDA, but also NVTX, threads or signals in an uncommon way, for tests. Its argument says in
// which one. Knows nothing of kjoule.

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "uncommon_program: %s: error %d\n", call, static_cast<int>(result));
  std::_Exit(3);
}
#define CHECK(call) check(call, #call)

constexpr unsigned kCount = 4096;  // floats in the buffer
constexpr unsigned kThreads = 256;

void use_range(const char* name) {
  nvtxRangePushA(name);
  nvtxRangePop();
}

/// Starts CUDA and launches a kernel three times.
void use_cuda() {
  CHECK(cuInit(0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CUmodule module = nullptr;
  CHECK(cuModuleLoadData(&module, "any"));
  CUfunction fill = nullptr;
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CUdeviceptr buffer = 0;
  CHECK(cuMemAlloc(&buffer, kCount * sizeof(float)));
  float value = 1;
  unsigned count = kCount;
  void* arguments[] = {&buffer, &value, &count};
  for (int i = 0; i < 3; ++i)
    CHECK(cuLaunchKernel(fill, kCount / kThreads, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
}

int use_range_before_cuda() {
  use_range("load data");
  nvtxRangePushA("whole run");  // CUDA starts within it
  use_cuda();
  nvtxRangePop();
  return 0;
}

}  // namespace

int main(int, char** words) {
  const std::string_view habit = words[1] != nullptr ? words[1] : "";
  int code = 2;
  if (habit == "before-cuda") code = use_range_before_cuda();
  if (code == 0) std::puts("uncommon_program: done");
  return code;
}
