#include "cuda/driver_calls.hpp"

#include <array>
#include <bitset>
#include <initializer_list>

// A call and its variant for the per-thread default stream have the same parameters. In the variant, no
// stream means the calling thread's own default stream.
#define KJOULE_CBID(name) CUPTI_DRIVER_TRACE_CBID_##name
#define KJOULE_AND_PTSZ(name) KJOULE_CBID(name), add_variant(KJOULE_CBID(name##_ptsz))
#define KJOULE_AND_PTDS(name) KJOULE_CBID(name), add_variant(KJOULE_CBID(name##_ptds))

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

/// The number of known callbacks. A newer driver may have more, which are ignored.
constexpr size_t kIds = CUPTI_DRIVER_TRACE_CBID_SIZE;

/// The handled calls that are variants for the per-thread default stream.
std::bitset<kIds> variants;
CUpti_CallbackId add_variant(CUpti_CallbackId id) {
  variants.set(id);
  return id;
}

CUstream resolve(CUpti_CallbackId id, CUstream stream) {
  return stream == nullptr && variants[id] ? CU_STREAM_PER_THREAD : stream;
}

// Both tables are made when the library is loaded: they are read at every launch.
const std::array<Reader, kIds> readers = [] {
  std::array<Reader, kIds> map{};
  const auto add = [&](Reader reader, std::initializer_list<CUpti_CallbackId> ids) {
    for (const CUpti_CallbackId id : ids) map[id] = reader;
  };
  add(read_kernel, {KJOULE_AND_PTSZ(cuLaunchKernel)});
  add(read_kernel_ex, {KJOULE_AND_PTSZ(cuLaunchKernelEx)});
  add(read_cooperative, {KJOULE_AND_PTSZ(cuLaunchCooperativeKernel)});
  add(read_graph, {KJOULE_AND_PTSZ(cuGraphLaunch)});
  add(read_to_device<cuMemcpyHtoD_v2_params>, {KJOULE_AND_PTDS(cuMemcpyHtoD_v2)});
  add(read_to_device<cuMemcpyHtoDAsync_v2_params>, {KJOULE_AND_PTSZ(cuMemcpyHtoDAsync_v2)});
  add(read_to_host<cuMemcpyDtoH_v2_params>, {KJOULE_AND_PTDS(cuMemcpyDtoH_v2)});
  add(read_to_host<cuMemcpyDtoHAsync_v2_params>, {KJOULE_AND_PTSZ(cuMemcpyDtoHAsync_v2)});
  add(read_within<cuMemcpyDtoD_v2_params>, {KJOULE_AND_PTDS(cuMemcpyDtoD_v2)});
  add(read_within<cuMemcpyDtoDAsync_v2_params>, {KJOULE_AND_PTSZ(cuMemcpyDtoDAsync_v2)});
  add(read_unified<cuMemcpy_params>, {KJOULE_AND_PTDS(cuMemcpy)});
  add(read_unified<cuMemcpyAsync_params>, {KJOULE_AND_PTSZ(cuMemcpyAsync)});
  add(read_2d<cuMemcpy2D_v2_params>, {KJOULE_AND_PTDS(cuMemcpy2D_v2)});
  add(read_2d<cuMemcpy2DUnaligned_v2_params>, {KJOULE_AND_PTDS(cuMemcpy2DUnaligned_v2)});
  add(read_2d<cuMemcpy2DAsync_v2_params>, {KJOULE_AND_PTSZ(cuMemcpy2DAsync_v2)});
  add(read_3d<cuMemcpy3D_v2_params>, {KJOULE_AND_PTDS(cuMemcpy3D_v2)});
  add(read_3d<cuMemcpy3DAsync_v2_params>, {KJOULE_AND_PTSZ(cuMemcpy3DAsync_v2)});
  add(read_set<cuMemsetD8_v2_params, 1>, {KJOULE_AND_PTDS(cuMemsetD8_v2)});
  add(read_set<cuMemsetD16_v2_params, 2>, {KJOULE_AND_PTDS(cuMemsetD16_v2)});
  add(read_set<cuMemsetD32_v2_params, 4>, {KJOULE_AND_PTDS(cuMemsetD32_v2)});
  add(read_set<cuMemsetD8Async_params, 1>, {KJOULE_AND_PTSZ(cuMemsetD8Async)});
  add(read_set<cuMemsetD16Async_params, 2>, {KJOULE_AND_PTSZ(cuMemsetD16Async)});
  add(read_set<cuMemsetD32Async_params, 4>, {KJOULE_AND_PTSZ(cuMemsetD32Async)});
  add(read_set_2d<cuMemsetD2D8_v2_params, 1>, {KJOULE_AND_PTDS(cuMemsetD2D8_v2)});
  add(read_set_2d<cuMemsetD2D16_v2_params, 2>, {KJOULE_AND_PTDS(cuMemsetD2D16_v2)});
  add(read_set_2d<cuMemsetD2D32_v2_params, 4>, {KJOULE_AND_PTDS(cuMemsetD2D32_v2)});
  add(read_set_2d<cuMemsetD2D8Async_params, 1>, {KJOULE_AND_PTSZ(cuMemsetD2D8Async)});
  add(read_set_2d<cuMemsetD2D16Async_params, 2>, {KJOULE_AND_PTSZ(cuMemsetD2D16Async)});
  add(read_set_2d<cuMemsetD2D32Async_params, 4>, {KJOULE_AND_PTSZ(cuMemsetD2D32Async)});
  return map;
}();

const std::array<DriverCallKind, kIds> kinds = [] {
  std::array<DriverCallKind, kIds> map{};
  for (size_t id = 0; id < kIds; ++id)
    if (readers[id] != nullptr) map[id] = DriverCallKind::launch;
  const auto add = [&](DriverCallKind kind, std::initializer_list<CUpti_CallbackId> ids) {
    for (const CUpti_CallbackId id : ids) map[id] = kind;
  };
  add(DriverCallKind::allocate,
      {KJOULE_CBID(cuMemAlloc_v2), KJOULE_CBID(cuMemAllocPitch_v2), KJOULE_CBID(cuMemMap),
       KJOULE_CBID(cuMemAllocManaged), KJOULE_CBID(cuMemHostAlloc), KJOULE_CBID(cuMemAllocHost_v2),
       KJOULE_CBID(cuMemHostRegister_v2), KJOULE_AND_PTSZ(cuMemAllocAsync),
       KJOULE_AND_PTSZ(cuMemAllocFromPoolAsync)});
  add(DriverCallKind::release,
      {KJOULE_CBID(cuMemFree_v2), KJOULE_CBID(cuMemUnmap), KJOULE_CBID(cuMemFreeHost),
       KJOULE_CBID(cuMemHostUnregister), KJOULE_AND_PTSZ(cuMemFreeAsync)});
  add(DriverCallKind::instantiate,
      {KJOULE_CBID(cuGraphInstantiateWithFlags), KJOULE_CBID(cuGraphInstantiate_v2),
       KJOULE_AND_PTSZ(cuGraphInstantiateWithParams)});
  add(DriverCallKind::change_graph,
      {KJOULE_CBID(cuGraphExecUpdate_v2), KJOULE_CBID(cuGraphExecUpdate),
       KJOULE_CBID(cuGraphExecKernelNodeSetParams_v2), KJOULE_CBID(cuGraphExecKernelNodeSetParams),
       KJOULE_CBID(cuGraphExecMemcpyNodeSetParams), KJOULE_CBID(cuGraphExecMemsetNodeSetParams),
       KJOULE_CBID(cuGraphExecChildGraphNodeSetParams), KJOULE_CBID(cuGraphExecNodeSetParams),
       KJOULE_CBID(cuGraphNodeSetEnabled)});
  add(DriverCallKind::destroy_graph, {KJOULE_CBID(cuGraphExecDestroy)});
  add(DriverCallKind::create_array,
      {KJOULE_CBID(cuArrayCreate_v2), KJOULE_CBID(cuArray3DCreate_v2), KJOULE_CBID(cuMipmappedArrayCreate)});
  add(DriverCallKind::destroy_array, {KJOULE_CBID(cuArrayDestroy), KJOULE_CBID(cuMipmappedArrayDestroy)});
  add(DriverCallKind::destroy_pool, {KJOULE_CBID(cuMemPoolDestroy)});
  add(DriverCallKind::host_function,
      {KJOULE_AND_PTSZ(cuLaunchHostFunc), KJOULE_AND_PTSZ(cuStreamAddCallback)});
  add(DriverCallKind::unload, {KJOULE_CBID(cuModuleUnload), KJOULE_CBID(cuLibraryUnload)});
  add(DriverCallKind::destroy_stream, {KJOULE_CBID(cuStreamDestroy_v2)});
  add(DriverCallKind::record_event,
      {KJOULE_AND_PTSZ(cuEventRecord), KJOULE_AND_PTSZ(cuEventRecordWithFlags)});
  add(DriverCallKind::wait_for_event, {KJOULE_AND_PTSZ(cuStreamWaitEvent)});
  add(DriverCallKind::capture_begin,
      {KJOULE_AND_PTSZ(cuStreamBeginCapture_v2), KJOULE_AND_PTSZ(cuStreamBeginCaptureToGraph)});
  add(DriverCallKind::capture_end, {KJOULE_AND_PTSZ(cuStreamEndCapture)});
  add(DriverCallKind::not_replayable,
      {KJOULE_CBID(cuLaunchCooperativeKernelMultiDevice), KJOULE_AND_PTDS(cuMemcpyPeer),
       KJOULE_AND_PTSZ(cuMemcpyPeerAsync), KJOULE_AND_PTSZ(cuMemcpy3DPeerAsync),
       KJOULE_AND_PTSZ(cuMemcpyBatchAsync), KJOULE_AND_PTDS(cuMemcpyAtoH_v2),
       KJOULE_AND_PTDS(cuMemcpyHtoA_v2), KJOULE_CBID(cuDeviceGraphMemTrim)});
  return map;
}();

}  // namespace

DriverCallKind driver_call_kind(CUpti_CallbackId id) {
  return id < kIds ? kinds[id] : DriverCallKind::ignored;
}

void read_packed(void* const* extra, KernelView& view) {
  if (extra == nullptr) return;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) view.packed = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) view.packed_bytes = *static_cast<const size_t*>(extra[1]);
  }
}

LaunchView read_launch(CUpti_CallbackId id, const void* parameters) {
  LaunchView view = readers[id](parameters);
  view.stream = resolve(id, view.stream);
  return view;
}

namespace {

/// Devices use the host's addresses for pinned memory.
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
    case KJOULE_CBID(cuMemAllocHost_v2): {  // begins with the same parameters
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
    default: {  // cuEventRecordWithFlags begins with the same two parameters
      const auto& p = as<cuEventRecord_params>(parameters);
      return {p.hEvent, resolve(id, p.hStream)};
    }
  }
}

std::pair<CUdeviceptr, size_t> read_release(CUpti_CallbackId id, const void* parameters) {
  if (id == KJOULE_CBID(cuMemUnmap)) {
    const auto& p = as<cuMemUnmap_params>(parameters);
    return {p.ptr, p.size};
  }
  if (id == KJOULE_CBID(cuMemFree_v2)) return {as<cuMemFree_v2_params>(parameters).dptr, 1};
  if (id == KJOULE_CBID(cuMemFreeHost) || id == KJOULE_CBID(cuMemHostUnregister))  // of equal parameters
    return {reinterpret_cast<CUdeviceptr>(as<cuMemFreeHost_params>(parameters).p), 1};
  return {as<cuMemFreeAsync_params>(parameters).dptr, 1};
}

const void* read_unloaded(CUpti_CallbackId id, const void* parameters) {
  if (id == KJOULE_CBID(cuModuleUnload)) return as<cuModuleUnload_params>(parameters).hmod;
  return as<cuLibraryUnload_params>(parameters).library;
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
