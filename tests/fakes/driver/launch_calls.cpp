// Kernel launches, host functions, copies and memsets.

#include "entry.hpp"
#include "streams.hpp"

using stand_in::CopyWork;
using stand_in::issue;
using stand_in::issue_and_wait;
using stand_in::KernelWork;
using stand_in::SetWork;

static CUresult launch(CUfunction f, const stand_in::Dimensions& dimensions, unsigned shared_bytes,
                       CUstream stream, void** parameters, void** extra,
                       std::vector<CUlaunchAttribute> attributes) {
  KernelWork work;
  const CUresult result = stand_in::make_kernel_work(f, dimensions, shared_bytes, parameters, extra, work);
  if (result != CUDA_SUCCESS) return result;
  work.attributes = std::move(attributes);
  return issue(work, stream);
}

DRIVER(cuLaunchKernel,
       (CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX,
        unsigned blockDimY, unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream,
        void** kernelParams, void** extra),
       (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
        kernelParams, extra)) {
  return launch(f, {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}}, sharedMemBytes,
                hStream, kernelParams, extra, {});
}

DRIVER(cuLaunchKernelEx, (const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra),
       (config, f, kernelParams, extra)) {
  const CUlaunchConfig& c = *config;
  return launch(f, {{c.gridDimX, c.gridDimY, c.gridDimZ}, {c.blockDimX, c.blockDimY, c.blockDimZ}},
                c.sharedMemBytes, c.hStream, kernelParams, extra, {c.attrs, c.attrs + c.numAttrs});
}

DRIVER(cuLaunchCooperativeKernel,
       (CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ, unsigned blockDimX,
        unsigned blockDimY, unsigned blockDimZ, unsigned sharedMemBytes, CUstream hStream,
        void** kernelParams),
       (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
        kernelParams)) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  return launch(f, {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}}, sharedMemBytes,
                hStream, kernelParams, nullptr, {cooperative});
}

DRIVER(cuLaunchHostFunc, (CUstream hStream, CUhostFn fn, void* userData), (hStream, fn, userData)) {
  return issue(stand_in::HostWork{{fn, userData}}, hStream);
}

static CopyWork to_device(CUdeviceptr to, const void* from, size_t bytes) {
  CopyWork copy{stand_in::linear_copy(bytes)};
  copy.shape.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.shape.srcHost = from;
  copy.shape.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.shape.dstDevice = to;
  return copy;
}

static CopyWork to_host(void* to, CUdeviceptr from, size_t bytes) {
  CopyWork copy{stand_in::linear_copy(bytes)};
  copy.shape.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.shape.srcDevice = from;
  copy.shape.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.shape.dstHost = to;
  return copy;
}

static CopyWork between(CUmemorytype type, CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  CopyWork copy{stand_in::linear_copy(bytes)};
  copy.shape.srcMemoryType = copy.shape.dstMemoryType = type;
  copy.shape.srcDevice = from;
  copy.shape.dstDevice = to;
  return copy;
}

DRIVER(cuMemcpyHtoD_v2, (CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount),
       (dstDevice, srcHost, ByteCount)) {
  return issue_and_wait(to_device(dstDevice, srcHost, ByteCount));
}
DRIVER(cuMemcpyHtoDAsync_v2, (CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream),
       (dstDevice, srcHost, ByteCount, hStream)) {
  return issue(to_device(dstDevice, srcHost, ByteCount), hStream);
}
DRIVER(cuMemcpyDtoH_v2, (void* dstHost, CUdeviceptr srcDevice, size_t ByteCount),
       (dstHost, srcDevice, ByteCount)) {
  return issue_and_wait(to_host(dstHost, srcDevice, ByteCount));
}
DRIVER(cuMemcpyDtoHAsync_v2, (void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
       (dstHost, srcDevice, ByteCount, hStream)) {
  return issue(to_host(dstHost, srcDevice, ByteCount), hStream);
}
DRIVER(cuMemcpyDtoD_v2, (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount),
       (dstDevice, srcDevice, ByteCount)) {
  return issue(between(CU_MEMORYTYPE_DEVICE, dstDevice, srcDevice, ByteCount), nullptr);
}
DRIVER(cuMemcpyDtoDAsync_v2,
       (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
       (dstDevice, srcDevice, ByteCount, hStream)) {
  return issue(between(CU_MEMORYTYPE_DEVICE, dstDevice, srcDevice, ByteCount), hStream);
}
DRIVER(cuMemcpyPeerAsync,
       (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
        size_t ByteCount, CUstream hStream),
       (dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream)) {
  return issue(between(CU_MEMORYTYPE_DEVICE, dstDevice, srcDevice, ByteCount), hStream);
}
DRIVER(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount), (dst, src, ByteCount)) {
  return issue_and_wait(between(CU_MEMORYTYPE_UNIFIED, dst, src, ByteCount));
}
DRIVER(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream),
       (dst, src, ByteCount, hStream)) {
  return issue(between(CU_MEMORYTYPE_UNIFIED, dst, src, ByteCount), hStream);
}
DRIVER(cuMemcpy2D_v2, (const CUDA_MEMCPY2D* pCopy), (pCopy)) {
  return issue_and_wait(CopyWork{stand_in::copy_of_2d(*pCopy)});
}
DRIVER(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* pCopy, CUstream hStream), (pCopy, hStream)) {
  return issue(CopyWork{stand_in::copy_of_2d(*pCopy)}, hStream);
}
DRIVER(cuMemcpy3D_v2, (const CUDA_MEMCPY3D* pCopy), (pCopy)) {
  return issue_and_wait(CopyWork{*pCopy});
}
DRIVER(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D* pCopy, CUstream hStream), (pCopy, hStream)) {
  return issue(CopyWork{*pCopy}, hStream);
}

static CUresult set(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes, size_t width,
                    size_t height, CUstream stream) {
  return issue(SetWork{{to, pitch, value, element_bytes, width, height}}, stream);
}

DRIVER(cuMemsetD8_v2, (CUdeviceptr dstDevice, unsigned char uc, size_t N), (dstDevice, uc, N)) {
  return set(dstDevice, 0, uc, 1, N, 1, nullptr);
}
DRIVER(cuMemsetD16_v2, (CUdeviceptr dstDevice, unsigned short us, size_t N), (dstDevice, us, N)) {
  return set(dstDevice, 0, us, 2, N, 1, nullptr);
}
DRIVER(cuMemsetD32_v2, (CUdeviceptr dstDevice, unsigned ui, size_t N), (dstDevice, ui, N)) {
  return set(dstDevice, 0, ui, 4, N, 1, nullptr);
}
DRIVER(cuMemsetD8Async, (CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream),
       (dstDevice, uc, N, hStream)) {
  return set(dstDevice, 0, uc, 1, N, 1, hStream);
}
DRIVER(cuMemsetD16Async, (CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream),
       (dstDevice, us, N, hStream)) {
  return set(dstDevice, 0, us, 2, N, 1, hStream);
}
DRIVER(cuMemsetD32Async, (CUdeviceptr dstDevice, unsigned ui, size_t N, CUstream hStream),
       (dstDevice, ui, N, hStream)) {
  return set(dstDevice, 0, ui, 4, N, 1, hStream);
}
DRIVER(cuMemsetD2D8Async,
       (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
        CUstream hStream),
       (dstDevice, dstPitch, uc, Width, Height, hStream)) {
  return set(dstDevice, dstPitch, uc, 1, Width, Height, hStream);
}
DRIVER(cuMemsetD2D16Async,
       (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
        CUstream hStream),
       (dstDevice, dstPitch, us, Width, Height, hStream)) {
  return set(dstDevice, dstPitch, us, 2, Width, Height, hStream);
}
DRIVER(cuMemsetD2D32Async,
       (CUdeviceptr dstDevice, size_t dstPitch, unsigned ui, size_t Width, size_t Height, CUstream hStream),
       (dstDevice, dstPitch, ui, Width, Height, hStream)) {
  return set(dstDevice, dstPitch, ui, 4, Width, Height, hStream);
}
