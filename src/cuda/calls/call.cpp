#include "cuda/calls/call.hpp"

#include <fmt/ranges.h>

#include "cuda/driver/check.hpp"
#include "recording/activity.hpp"

namespace kjoule::cuda {

namespace {

template <typename GetInfo>
void read_layout(Function& function, GetInfo get) {
  size_t offset = 0;
  size_t size = 0;
  for (size_t i = 0; get(i, &offset, &size) == CUDA_SUCCESS; ++i) {
    function.offsets.push_back(offset);
    function.sizes.push_back(size);
    function.bytes = std::max(function.bytes, offset + size);
  }
}

void issue(const KernelCall& call, CUstream stream) {
  std::vector<void*> arguments;
  auto* base = const_cast<std::byte*>(call.arguments.data());
  for (const size_t offset : call.function->offsets) arguments.push_back(base + offset);
  size_t bytes = call.arguments.size();
  void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, base, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                    CU_LAUNCH_PARAM_END};
  CUlaunchConfig config{};
  config.gridDimX = call.grid[0];
  config.gridDimY = call.grid[1];
  config.gridDimZ = call.grid[2];
  config.blockDimX = call.block[0];
  config.blockDimY = call.block[1];
  config.blockDimZ = call.block[2];
  config.sharedMemBytes = call.shared_bytes;
  config.hStream = stream;
  config.attrs = const_cast<CUlaunchAttribute*>(call.attributes.data());
  config.numAttrs = static_cast<unsigned>(call.attributes.size());
  KJOULE_CU(cuLaunchKernelEx(&config, call.function->handle, call.packed ? nullptr : arguments.data(),
                             call.packed ? packed : nullptr));
}

void issue(const CopyCall& call, CUstream stream) {
  KJOULE_CU(cuMemcpy3DAsync(&call.shape, stream));
}

void issue(const MemsetCall& call, CUstream stream) {
  const auto value8 = static_cast<unsigned char>(call.value);
  const auto value16 = static_cast<unsigned short>(call.value);
  if (call.height <= 1) {
    switch (call.element_bytes) {
      case 1:
        return KJOULE_CU(cuMemsetD8Async(call.to, value8, call.width, stream));
      case 2:
        return KJOULE_CU(cuMemsetD16Async(call.to, value16, call.width, stream));
      default:
        return KJOULE_CU(cuMemsetD32Async(call.to, call.value, call.width, stream));
    }
  }
  switch (call.element_bytes) {
    case 1:
      return KJOULE_CU(cuMemsetD2D8Async(call.to, call.pitch, value8, call.width, call.height, stream));
    case 2:
      return KJOULE_CU(cuMemsetD2D16Async(call.to, call.pitch, value16, call.width, call.height, stream));
    default:
      return KJOULE_CU(cuMemsetD2D32Async(call.to, call.pitch, call.value, call.width, call.height, stream));
  }
}

bool is_host(CUmemorytype type) {
  return type == CU_MEMORYTYPE_HOST;
}

}  // namespace

std::shared_ptr<const Function> describe(CUfunction handle) {
  auto function = std::make_shared<Function>();
  function->handle = handle;
  const char* name = nullptr;
  // A launch through the CUDA runtime has a CUkernel handle, which the cuFunc... functions refuse.
  if (cuFuncGetName(&name, handle) == CUDA_SUCCESS) {
    if (cuFuncGetModule(&function->module, handle) != CUDA_SUCCESS) function->module = nullptr;
    read_layout(*function,
                [&](size_t i, size_t* o, size_t* s) { return cuFuncGetParamInfo(handle, i, o, s); });
  } else {
    auto* kernel = reinterpret_cast<CUkernel>(handle);
    KJOULE_CU(cuKernelGetName(&name, kernel));
    if (cuKernelGetLibrary(&function->library, kernel) != CUDA_SUCCESS) function->library = nullptr;
    read_layout(*function,
                [&](size_t i, size_t* o, size_t* s) { return cuKernelGetParamInfo(kernel, i, o, s); });
  }
  function->name = name;
  function->collective = collective_of(function->name);
  return function;
}

size_t bookkeeping_bytes(const Call& call) {
  size_t bytes = sizeof(Call) + call.waits_for.capacity() * sizeof(uint32_t) +
                 call.ranges.capacity() * sizeof(std::string);
  for (const std::string& range : call.ranges) bytes += range.capacity();
  if (const auto* kernel = std::get_if<KernelCall>(&call.what))
    bytes += kernel->attributes.capacity() * sizeof(CUlaunchAttribute);
  return bytes;
}

bool is_collective(const Call& call) {
  const auto* kernel = std::get_if<KernelCall>(&call.what);
  return kernel != nullptr && kernel->function->collective != Collective::none;
}

void issue(const Call& call, CUstream stream) {
  std::visit([&](const auto& what) { issue(what, stream); }, call.what);
}

std::string readable_name(const Call& call) {
  if (const auto* kernel = std::get_if<KernelCall>(&call.what))
    return kjoule::readable_name(kernel->function->name);
  if (std::holds_alternative<MemsetCall>(call.what)) return "memset";
  const auto& [shape, host, pageable] = std::get<CopyCall>(call.what);
  const bool from_host = is_host(shape.srcMemoryType);
  const bool to_host = is_host(shape.dstMemoryType);
  return fmt::format("memcpy {}to{}{}", from_host ? 'H' : 'D', to_host ? 'H' : 'D',
                     pageable ? " (pageable)" : "");
}

std::string sizes_text(const Call& call) {
  if (const auto* copy = std::get_if<CopyCall>(&call.what)) return fmt::format("{} B", copy->bytes());
  if (const auto* set = std::get_if<MemsetCall>(&call.what))
    return fmt::format("{} x {} elements", set->width, set->height);
  const auto& kernel = std::get<KernelCall>(call.what);
  std::string attributes;
  for (const CUlaunchAttribute& attribute : kernel.attributes)
    attributes += fmt::format(" {}", static_cast<int>(attribute.id));
  return fmt::format("grid {}, block {}, {} B shared, {} B of {} arguments{}{}", fmt::join(kernel.grid, "x"),
                     fmt::join(kernel.block, "x"), kernel.shared_bytes, kernel.arguments.size(),
                     kernel.function->offsets.size(), attributes.empty() ? "" : ", attributes", attributes);
}

}  // namespace kjoule::cuda
