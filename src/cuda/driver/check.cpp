#include "cuda/driver/check.hpp"

#include <fmt/format.h>

#include <string_view>

#include "device/device.hpp"

namespace kjoule::cuda {

namespace {

bool loses_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_DEINITIALIZED:
      return true;
    default:
      return false;
  }
}

const char* remedy_of(CUresult result) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return "use a smaller batch, or a GPU with more memory: kjoule needs GPU memory for copies of the data "
           "that launches overwrite";
  if (loses_context(result))
    return "a replayed launch caused this error, after which the program cannot use the GPU any more";
  return "";
}

}  // namespace

std::string message_of(CUresult result) {
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  return text != nullptr ? text : "unknown CUDA error";
}

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const std::string_view whole(call);
  const std::string_view name = whole.substr(0, whole.find('('));
  throw DeviceError(fmt::format("{}: {}", name, message_of(result)), remedy_of(result), {},
                    loses_context(result));
}

}  // namespace kjoule::cuda
