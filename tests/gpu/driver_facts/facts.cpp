#include "facts.hpp"

#include <cstdio>
#include <cstdlib>

namespace facts {

namespace {

struct EndOfCase {};

int run(const Case& one) {
  try {
    one.run();
  } catch (const EndOfCase&) {
  }
  std::fflush(stdout);
  std::_Exit(0);  // After a fault, the destructors of libraries may fail or wait.
}

void need_success(bool success, const std::string& name, const std::string& call) {
  if (success) return;
  tell(call.substr(0, call.find('(')), name);
  end_case();
}

}  // namespace

int answer(int count, char** arguments, const std::vector<Case>& cases) {
  if (count == 1) {
    for (const Case& one : cases) std::printf("%s\n", one.name.c_str());
    return 0;
  }
  for (const Case& one : cases)
    if (count == 2 && one.name == arguments[1]) return run(one);
  std::fprintf(stderr, "usage: %s [CASE]; without CASE it lists them\n", arguments[0]);
  return 2;
}

void tell(const std::string& what, const std::string& answer) {
  std::printf("%s\t%s\n", what.c_str(), answer.c_str());
  std::fflush(stdout);
}

void end_case() {
  throw EndOfCase();
}

void use_device() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  NEED(cuInit(0));
  NEED(cuDeviceGet(&device, 0));
  NEED(cuDevicePrimaryCtxRetain(&context, device));
  NEED(cuCtxSetCurrent(context));
}

void need(CUresult result, const char* call) {
  need_success(result == CUDA_SUCCESS, name_of(result), call);
}

void need(cudaError_t result, const char* call) {
  need_success(result == cudaSuccess, name_of(result), call);
}

std::string name_of(CUresult result) {
  const char* name = nullptr;
  if (cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return "CUresult " + std::to_string(result);
}

std::string name_of(cudaError_t result) {
  return cudaGetErrorName(result);
}

std::string hexadecimal(CUdeviceptr address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", address);
  return text;
}

std::string size_name(size_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; unit < 3 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + " " + units[unit];
}

std::string range_of(CUdeviceptr address) {
  CUdeviceptr first = 0;
  size_t bytes = 0;
  const CUresult result = cuMemGetAddressRange(&first, &bytes, address);
  if (result != CUDA_SUCCESS) return name_of(result);
  return std::to_string(bytes) + " bytes from " + hexadecimal(first);
}

}  // namespace facts
