#include "nccl/rank_driver.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/text/uuid_text.hpp"

namespace kjoule::nccl {

namespace {

constexpr const char* kRankRemedy = "kjoule doctor reports what this machine lacks";

Library open_rank_driver() {
  auto library = Library::open({"libcuda.so.1"});
  if (!library) throw Error("the CUDA driver (libcuda.so.1) cannot be loaded", kRankRemedy);
  return std::move(*library);
}

}  // namespace

RankDriver::RankDriver(int gpu) : library_(open_rank_driver()) {
// The header renames functions to their newest versions, such as cuMemAlloc_v2. The renamed function is
// loaded.
#define KJOULE_RANK_NAME(name) #name
#define KJOULE_RANK_LOAD(name)                                                            \
  name = library_.symbol<std::remove_pointer_t<decltype(name)>>(KJOULE_RANK_NAME(name));  \
  if (name == nullptr)                                                                    \
    throw Error("the CUDA driver is too old: it has no function " KJOULE_RANK_NAME(name), \
                "install a driver for CUDA 12.3 or later");
  KJOULE_RANK_DRIVER_FUNCTIONS(KJOULE_RANK_LOAD)
#undef KJOULE_RANK_LOAD
#undef KJOULE_RANK_NAME
  check(cuInit(0), "CUDA could not be started");
  int gpus = 0;
  check(cuDeviceGetCount(&gpus), "the GPUs could not be counted");
  if (gpu >= gpus)
    throw Error(
        fmt::format("there is no GPU {}: CUDA finds {}", gpu, gpus),
        "the numbers begin with 0: name others with --gpus, or start no more ranks on a machine than it has "
        "GPUs");
  CUdevice device = 0;
  check(cuDeviceGet(&device, gpu), fmt::format("GPU {} could not be used", gpu));
  std::array<char, 256> name{};
  check(cuDeviceGetName(name.data(), name.size() - 1, device), "the GPU has no name");
  gpu_name_ = name.data();
  CUuuid uuid{};
  check(cuDeviceGetUuid(&uuid, device), "the GPU has no UUID");
  gpu_uuid_ = gpu_uuid_text(std::span<const char, sizeof uuid.bytes>(uuid.bytes));
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, device), fmt::format("GPU {} could not be used", gpu));
  check(cuCtxSetCurrent(context), fmt::format("GPU {} could not be used", gpu));
  check(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "no stream could be created");
}

void RankDriver::check(CUresult result, const std::string& what) const {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS) text = "unknown error";
  throw Error(fmt::format("{}: the CUDA driver reports: {}", what, text), kRankRemedy);
}

}  // namespace kjoule::nccl
