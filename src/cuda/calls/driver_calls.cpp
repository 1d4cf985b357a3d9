#include "cuda/calls/driver_calls.hpp"

#include <array>

#include "cuda/calls/make_call.hpp"
#include "cuda/driver/callback_ids.hpp"

namespace kjoule::cuda {

namespace {

using Reader = LaunchView (*)(const void*);

template <typename Parameters>
const Parameters& as(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

template <typename Parameters>
KernelView dimensions(const Parameters& p) {
  KernelView view;
  view.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  view.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  view.shared_bytes = p.sharedMemBytes;
  return view;
}

LaunchView read_kernel(const void* parameters) {
  const auto& p = as<cuLaunchKernel_params>(parameters);
  KernelView view = dimensions(p);
  view.function = p.f;
  view.arguments = p.kernelParams;
  if (p.kernelParams == nullptr) read_packed(p.extra, view);
  return {view, p.hStream};
}

LaunchView read_kernel_ex(const void* parameters) {
  const auto& p = as<cuLaunchKernelEx_params>(parameters);
  KernelView view = dimensions(*p.config);
  view.function = p.f;
  view.arguments = p.kernelParams;
  if (p.kernelParams == nullptr) read_packed(p.extra, view);
  view.attributes = p.config->attrs;
  view.attribute_count = p.config->numAttrs;
  return {view, p.config->hStream};
}

LaunchView read_cooperative(const void* parameters) {
  const auto& p = as<cuLaunchCooperativeKernel_params>(parameters);
  KernelView view = dimensions(p);
  view.function = p.f;
  view.arguments = p.kernelParams;
  view.cooperative = true;
  return {view, p.hStream};
}

LaunchView read_graph(const void* parameters) {
  const auto& p = as<cuGraphLaunch_params>(parameters);
  return {GraphView{p.hGraph}, p.hStream};
}

CopyCall linear(size_t bytes) {
  CopyCall copy;
  copy.shape.WidthInBytes = bytes;
  copy.shape.Height = copy.shape.Depth = 1;
  return copy;
}

void from_device(CopyCall& copy, CUdeviceptr address) {
  copy.shape.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.shape.srcDevice = address;
}

void to_device(CopyCall& copy, CUdeviceptr address) {
  copy.shape.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.shape.dstDevice = address;
}

CUstream stream_of(...) {
  return nullptr;
}
template <typename Parameters>
auto stream_of(const Parameters* p) -> decltype(p->hStream) {
  return p->hStream;
}

template <typename Parameters>
LaunchView read_to_device(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  CopyCall copy = linear(p.ByteCount);
  copy.shape.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.shape.srcHost = p.srcHost;
  to_device(copy, p.dstDevice);
  return {copy, stream_of(&p)};
}

template <typename Parameters>
LaunchView read_to_host(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  CopyCall copy = linear(p.ByteCount);
  from_device(copy, p.srcDevice);
  copy.shape.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.shape.dstHost = p.dstHost;
  return {copy, stream_of(&p)};
}

template <typename Parameters>
LaunchView read_within(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  CopyCall copy = linear(p.ByteCount);
  from_device(copy, p.srcDevice);
  to_device(copy, p.dstDevice);
  return {copy, stream_of(&p)};
}

template <typename Parameters>
LaunchView read_unified(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  CopyCall copy = linear(p.ByteCount);
  copy.shape.srcMemoryType = copy.shape.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.shape.srcDevice = p.src;
  copy.shape.dstDevice = p.dst;
  return {copy, stream_of(&p)};
}

CopyCall from_2d(const CUDA_MEMCPY2D& flat) {
  CopyCall copy;
  CUDA_MEMCPY3D& shape = copy.shape;
  shape.srcXInBytes = flat.srcXInBytes;
  shape.srcY = flat.srcY;
  shape.srcMemoryType = flat.srcMemoryType;
  shape.srcHost = flat.srcHost;
  shape.srcDevice = flat.srcDevice;
  shape.srcArray = flat.srcArray;
  shape.srcPitch = flat.srcPitch;
  shape.dstXInBytes = flat.dstXInBytes;
  shape.dstY = flat.dstY;
  shape.dstMemoryType = flat.dstMemoryType;
  shape.dstHost = flat.dstHost;
  shape.dstDevice = flat.dstDevice;
  shape.dstArray = flat.dstArray;
  shape.dstPitch = flat.dstPitch;
  shape.WidthInBytes = flat.WidthInBytes;
  shape.Height = flat.Height;
  shape.Depth = 1;
  return copy;
}

template <typename Parameters>
LaunchView read_2d(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  return {from_2d(*p.pCopy), stream_of(&p)};
}

template <typename Parameters>
LaunchView read_3d(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  CopyCall copy;
  copy.shape = *p.pCopy;
  return {copy, stream_of(&p)};
}

unsigned value_of(const cuMemsetD8_v2_params& p) {
  return p.uc;
}
unsigned value_of(const cuMemsetD16_v2_params& p) {
  return p.us;
}
unsigned value_of(const cuMemsetD32_v2_params& p) {
  return p.ui;
}
unsigned value_of(const cuMemsetD8Async_params& p) {
  return p.uc;
}
unsigned value_of(const cuMemsetD16Async_params& p) {
  return p.us;
}
unsigned value_of(const cuMemsetD32Async_params& p) {
  return p.ui;
}
unsigned value_of(const cuMemsetD2D8_v2_params& p) {
  return p.uc;
}
unsigned value_of(const cuMemsetD2D16_v2_params& p) {
  return p.us;
}
unsigned value_of(const cuMemsetD2D32_v2_params& p) {
  return p.ui;
}
unsigned value_of(const cuMemsetD2D8Async_params& p) {
  return p.uc;
}
unsigned value_of(const cuMemsetD2D16Async_params& p) {
  return p.us;
}
unsigned value_of(const cuMemsetD2D32Async_params& p) {
  return p.ui;
}

template <typename Parameters, unsigned bytes>
LaunchView read_set(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  return {MemsetCall{p.dstDevice, 0, value_of(p), bytes, p.N, 1}, stream_of(&p)};
}

template <typename Parameters, unsigned bytes>
LaunchView read_set_2d(const void* parameters) {
  const auto& p = as<Parameters>(parameters);
  return {MemsetCall{p.dstDevice, p.dstPitch, value_of(p), bytes, p.Width, p.Height}, stream_of(&p)};
}

/// The function that reads each kind of launch, by id, and the calls that are variants for the per-thread
/// default stream. The table is computed at compile time, because driver_call_kinds.cpp uses it when the
/// library is loaded.
class LaunchTable {
 public:
  constexpr void add(Reader reader, CUpti_CallbackId call, CUpti_CallbackId variant) {
    readers_[call] = readers_[variant] = reader;
    add_variant(variant);
  }
  constexpr void add_variant(CUpti_CallbackId id) { variants_[id] = true; }
  constexpr Reader reader_of(CUpti_CallbackId id) const { return id < kCallbackIds ? readers_[id] : nullptr; }
  constexpr bool is_variant(CUpti_CallbackId id) const { return variants_[id]; }

 private:
  std::array<Reader, kCallbackIds> readers_{};
  std::array<bool, kCallbackIds> variants_{};
};

constexpr LaunchTable kLaunches = [] {
  LaunchTable table;
  table.add(read_kernel, KJOULE_AND_PTSZ(cuLaunchKernel));
  table.add(read_kernel_ex, KJOULE_AND_PTSZ(cuLaunchKernelEx));
  table.add(read_cooperative, KJOULE_AND_PTSZ(cuLaunchCooperativeKernel));
  table.add(read_graph, KJOULE_AND_PTSZ(cuGraphLaunch));
  table.add(read_to_device<cuMemcpyHtoD_v2_params>, KJOULE_AND_PTDS(cuMemcpyHtoD_v2));
  table.add(read_to_device<cuMemcpyHtoDAsync_v2_params>, KJOULE_AND_PTSZ(cuMemcpyHtoDAsync_v2));
  table.add(read_to_host<cuMemcpyDtoH_v2_params>, KJOULE_AND_PTDS(cuMemcpyDtoH_v2));
  table.add(read_to_host<cuMemcpyDtoHAsync_v2_params>, KJOULE_AND_PTSZ(cuMemcpyDtoHAsync_v2));
  table.add(read_within<cuMemcpyDtoD_v2_params>, KJOULE_AND_PTDS(cuMemcpyDtoD_v2));
  table.add(read_within<cuMemcpyDtoDAsync_v2_params>, KJOULE_AND_PTSZ(cuMemcpyDtoDAsync_v2));
  table.add(read_unified<cuMemcpy_params>, KJOULE_AND_PTDS(cuMemcpy));
  table.add(read_unified<cuMemcpyAsync_params>, KJOULE_AND_PTSZ(cuMemcpyAsync));
  table.add(read_2d<cuMemcpy2D_v2_params>, KJOULE_AND_PTDS(cuMemcpy2D_v2));
  table.add(read_2d<cuMemcpy2DUnaligned_v2_params>, KJOULE_AND_PTDS(cuMemcpy2DUnaligned_v2));
  table.add(read_2d<cuMemcpy2DAsync_v2_params>, KJOULE_AND_PTSZ(cuMemcpy2DAsync_v2));
  table.add(read_3d<cuMemcpy3D_v2_params>, KJOULE_AND_PTDS(cuMemcpy3D_v2));
  table.add(read_3d<cuMemcpy3DAsync_v2_params>, KJOULE_AND_PTSZ(cuMemcpy3DAsync_v2));
  table.add(read_set<cuMemsetD8_v2_params, 1>, KJOULE_AND_PTDS(cuMemsetD8_v2));
  table.add(read_set<cuMemsetD16_v2_params, 2>, KJOULE_AND_PTDS(cuMemsetD16_v2));
  table.add(read_set<cuMemsetD32_v2_params, 4>, KJOULE_AND_PTDS(cuMemsetD32_v2));
  table.add(read_set<cuMemsetD8Async_params, 1>, KJOULE_AND_PTSZ(cuMemsetD8Async));
  table.add(read_set<cuMemsetD16Async_params, 2>, KJOULE_AND_PTSZ(cuMemsetD16Async));
  table.add(read_set<cuMemsetD32Async_params, 4>, KJOULE_AND_PTSZ(cuMemsetD32Async));
  table.add(read_set_2d<cuMemsetD2D8_v2_params, 1>, KJOULE_AND_PTDS(cuMemsetD2D8_v2));
  table.add(read_set_2d<cuMemsetD2D16_v2_params, 2>, KJOULE_AND_PTDS(cuMemsetD2D16_v2));
  table.add(read_set_2d<cuMemsetD2D32_v2_params, 4>, KJOULE_AND_PTDS(cuMemsetD2D32_v2));
  table.add(read_set_2d<cuMemsetD2D8Async_params, 1>, KJOULE_AND_PTSZ(cuMemsetD2D8Async));
  table.add(read_set_2d<cuMemsetD2D16Async_params, 2>, KJOULE_AND_PTSZ(cuMemsetD2D16Async));
  table.add(read_set_2d<cuMemsetD2D32Async_params, 4>, KJOULE_AND_PTSZ(cuMemsetD2D32Async));
  for (const CUpti_CallbackId id :
       {KJOULE_CBID(cuMemAllocAsync_ptsz), KJOULE_CBID(cuMemAllocFromPoolAsync_ptsz),
        KJOULE_CBID(cuMemFreeAsync_ptsz), KJOULE_CBID(cuEventRecord_ptsz),
        KJOULE_CBID(cuEventRecordWithFlags_ptsz), KJOULE_CBID(cuStreamWaitEvent_ptsz),
        KJOULE_CBID(cuLaunchHostFunc_ptsz), KJOULE_CBID(cuStreamAddCallback_ptsz),
        KJOULE_CBID(cuStreamSynchronize_ptsz)})
    table.add_variant(id);
  return table;
}();

CUstream resolve(CUpti_CallbackId id, CUstream stream) {
  return stream == nullptr && kLaunches.is_variant(id) ? CU_STREAM_PER_THREAD : stream;
}

}  // namespace

bool is_launch(CUpti_CallbackId id) {
  return kLaunches.reader_of(id) != nullptr;
}

void read_packed(void* const* extra, KernelView& view) {
  if (extra == nullptr) return;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) view.packed = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) view.packed_bytes = *static_cast<const size_t*>(extra[1]);
  }
}

LaunchView read_launch(CUpti_CallbackId id, const void* parameters) {
  LaunchView view = kLaunches.reader_of(id)(parameters);
  view.stream = resolve(id, view.stream);
  return view;
}

namespace {

/// The device accesses pinned memory at the host's addresses.
Allocation host_memory(const void* address, size_t bytes) {
  return {reinterpret_cast<CUdeviceptr>(address), bytes, MemoryKind::host};
}

}  // namespace

Allocation read_allocation(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case KJOULE_CBID(cuMemAlloc_v2): {
      const auto& p = as<cuMemAlloc_v2_params>(parameters);
      return {*p.dptr, p.bytesize};
    }
    case KJOULE_CBID(cuMemAllocPitch_v2): {
      const auto& p = as<cuMemAllocPitch_v2_params>(parameters);
      return {*p.dptr, *p.pPitch * p.Height};
    }
    case KJOULE_CBID(cuMemAllocManaged): {
      const auto& p = as<cuMemAllocManaged_params>(parameters);
      return {*p.dptr, p.bytesize, MemoryKind::managed};
    }
    case KJOULE_CBID(cuMemHostAlloc):
    case KJOULE_CBID(cuMemAllocHost_v2): {  // its first parameters are the same
      const auto& p = as<cuMemAllocHost_v2_params>(parameters);
      return host_memory(*p.pp, p.bytesize);
    }
    case KJOULE_CBID(cuMemHostRegister_v2): {
      const auto& p = as<cuMemHostRegister_v2_params>(parameters);
      return host_memory(p.p, p.bytesize);
    }
    case KJOULE_CBID(cuMemMap): {
      const auto& p = as<cuMemMap_params>(parameters);
      return {p.ptr, p.size, MemoryKind::mapped};
    }
    case KJOULE_CBID(cuMemAllocFromPoolAsync):
    case KJOULE_CBID(cuMemAllocFromPoolAsync_ptsz): {
      const auto& p = as<cuMemAllocFromPoolAsync_params>(parameters);
      return {*p.dptr, p.bytesize, MemoryKind::pool};
    }
    default: {
      const auto& p = as<cuMemAllocAsync_params>(parameters);
      return {*p.dptr, p.bytesize, MemoryKind::pool};
    }
  }
}

CUresult repeat_allocation(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case KJOULE_CBID(cuMemAlloc_v2): {
      const auto& p = as<cuMemAlloc_v2_params>(parameters);
      return cuMemAlloc(p.dptr, p.bytesize);
    }
    case KJOULE_CBID(cuMemAllocPitch_v2): {
      const auto& p = as<cuMemAllocPitch_v2_params>(parameters);
      return cuMemAllocPitch(p.dptr, p.pPitch, p.WidthInBytes, p.Height, p.ElementSizeBytes);
    }
    case KJOULE_CBID(cuMemAllocManaged): {
      const auto& p = as<cuMemAllocManaged_params>(parameters);
      return cuMemAllocManaged(p.dptr, p.bytesize, p.flags);
    }
    case KJOULE_CBID(cuMemAllocAsync):
    case KJOULE_CBID(cuMemAllocAsync_ptsz): {
      const auto& p = as<cuMemAllocAsync_params>(parameters);
      return cuMemAllocAsync(p.dptr, p.bytesize, resolve(id, p.hStream));
    }
    case KJOULE_CBID(cuMemAllocFromPoolAsync):
    case KJOULE_CBID(cuMemAllocFromPoolAsync_ptsz): {
      const auto& p = as<cuMemAllocFromPoolAsync_params>(parameters);
      return cuMemAllocFromPoolAsync(p.dptr, p.bytesize, p.pool, resolve(id, p.hStream));
    }
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

std::pair<CUevent, CUstream> read_event(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case KJOULE_CBID(cuStreamWaitEvent):
    case KJOULE_CBID(cuStreamWaitEvent_ptsz): {
      const auto& p = as<cuStreamWaitEvent_params>(parameters);
      return {p.hEvent, resolve(id, p.hStream)};
    }
    default: {  // the first two parameters of cuEventRecordWithFlags are the same
      const auto& p = as<cuEventRecord_params>(parameters);
      return {p.hEvent, resolve(id, p.hStream)};
    }
  }
}

namespace {

/// Returns the stream of a copy that the host awaits; nothing if both ends may be device memory. Copies of
/// cuMemcpy and of the strided forms without a host end do not wait.
std::optional<CUstream> stream_of_awaited_copy(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case KJOULE_CBID(cuMemcpyHtoD_v2):
    case KJOULE_CBID(cuMemcpyHtoD_v2_ptds):
    case KJOULE_CBID(cuMemcpyDtoH_v2):
    case KJOULE_CBID(cuMemcpyDtoH_v2_ptds):
      return resolve(id, nullptr);
    case KJOULE_CBID(cuMemcpy):
    case KJOULE_CBID(cuMemcpy_ptds):
    case KJOULE_CBID(cuMemcpy2D_v2):
    case KJOULE_CBID(cuMemcpy2D_v2_ptds):
    case KJOULE_CBID(cuMemcpy2DUnaligned_v2):
    case KJOULE_CBID(cuMemcpy2DUnaligned_v2_ptds):
    case KJOULE_CBID(cuMemcpy3D_v2):
    case KJOULE_CBID(cuMemcpy3D_v2_ptds):
      break;
    default:
      return {};
  }
  const LaunchView copy = read_launch(id, parameters);
  if (host_bytes(std::get<CopyCall>(copy.what)) == 0) return {};
  return copy.stream;
}

}  // namespace

std::optional<std::variant<WholeContext, CUstream, CUevent>> read_awaited(CUpti_CallbackId id,
                                                                          const void* parameters) {
  switch (id) {
    case KJOULE_CBID(cuCtxSynchronize):
    case KJOULE_CBID(cuCtxSynchronize_v2):
      return WholeContext{};
    case KJOULE_CBID(cuStreamSynchronize):
    case KJOULE_CBID(cuStreamSynchronize_ptsz):
      return resolve(id, as<cuStreamSynchronize_params>(parameters).hStream);
    case KJOULE_CBID(cuEventSynchronize):
      return as<cuEventSynchronize_params>(parameters).hEvent;
    default:
      if (const auto stream = stream_of_awaited_copy(id, parameters)) return *stream;
      return {};
  }
}

CUstream read_host_function(CUpti_CallbackId id, const void* parameters) {
  return resolve(id,
                 as<cuLaunchHostFunc_params>(parameters).hStream);  // as cuStreamAddCallback
}

std::pair<CUdeviceptr, size_t> read_release(CUpti_CallbackId id, const void* parameters) {
  if (id == KJOULE_CBID(cuMemUnmap)) {
    const auto& p = as<cuMemUnmap_params>(parameters);
    return {p.ptr, p.size};
  }
  if (id == KJOULE_CBID(cuMemFree_v2)) return {as<cuMemFree_v2_params>(parameters).dptr, 1};
  if (id == KJOULE_CBID(cuMemFreeHost) || id == KJOULE_CBID(cuMemHostUnregister))  // equal parameters
    return {reinterpret_cast<CUdeviceptr>(as<cuMemFreeHost_params>(parameters).p), 1};
  return {as<cuMemFreeAsync_params>(parameters).dptr, 1};
}

const void* read_unloaded(CUpti_CallbackId id, const void* parameters) {
  if (id == KJOULE_CBID(cuModuleUnload)) return as<cuModuleUnload_params>(parameters).hmod;
  return as<cuLibraryUnload_params>(parameters).library;
}

CUcontext read_destroyed(CUpti_CallbackId id, const void* parameters) {
  if (id == KJOULE_CBID(cuCtxDestroy_v2) || id == KJOULE_CBID(cuCtxDestroy))  // equal parameters
    return as<cuCtxDestroy_v2_params>(parameters).ctx;
  const CUdevice device = as<cuDevicePrimaryCtxReset_v2_params>(parameters).dev;
  unsigned flags = 0;
  int is_active = 0;
  CUcontext primary = nullptr;
  if (cuDevicePrimaryCtxGetState(device, &flags, &is_active) != CUDA_SUCCESS || is_active == 0) return {};
  if (cuDevicePrimaryCtxRetain(&primary, device) != CUDA_SUCCESS) return {};
  cuDevicePrimaryCtxRelease(device);  // the program still retains it
  return primary;
}

std::optional<CUstream> stream_of_allocation(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case KJOULE_CBID(cuMemAllocAsync):
    case KJOULE_CBID(cuMemAllocAsync_ptsz):
      return resolve(id, as<cuMemAllocAsync_params>(parameters).hStream);
    case KJOULE_CBID(cuMemAllocFromPoolAsync):
    case KJOULE_CBID(cuMemAllocFromPoolAsync_ptsz):
      return resolve(id, as<cuMemAllocFromPoolAsync_params>(parameters).hStream);
    case KJOULE_CBID(cuMemFreeAsync):
    case KJOULE_CBID(cuMemFreeAsync_ptsz):
      return resolve(id, as<cuMemFreeAsync_params>(parameters).hStream);
    default:
      return {};
  }
}

}  // namespace kjoule::cuda
