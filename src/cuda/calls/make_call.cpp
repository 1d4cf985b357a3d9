#include "cuda/calls/make_call.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/calls/sent_bytes.hpp"

namespace kjoule::cuda {

namespace {

/// Returns whether an address is device or host memory.
CUmemorytype kind_of(CUdeviceptr address) {
  return memory_type_of(address) == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

bool is_pageable(const void* host) {
  return !memory_type_of(reinterpret_cast<CUdeviceptr>(host));
}

KernelCall make_kernel_call(const KernelView& view, FunctionTable& functions) {
  KernelCall call;
  call.function = functions.get(view.function);
  call.grid = view.grid;
  call.block = view.block;
  call.shared_bytes = view.shared_bytes;
  call.attributes.assign(view.attributes, view.attributes + view.attribute_count);
  if (view.cooperative) {
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    call.attributes.push_back(cooperative);
  }
  if (view.packed != nullptr) {
    call.packed = true;
    call.arguments.assign(view.packed, view.packed + view.packed_bytes);
    return call;
  }
  call.arguments.resize(call.function->bytes);
  for (size_t i = 0; i < call.function->offsets.size(); ++i) {
    const size_t offset = call.function->offsets[i];
    std::memcpy(call.arguments.data() + offset, view.arguments[i], call.function->sizes[i]);
  }
  return call;
}

/// Returns the bytes of host memory that a strided copy spans, from its base address.
size_t host_span(size_t x, size_t y, size_t z, size_t pitch, size_t height, const CUDA_MEMCPY3D& shape) {
  const size_t rows = (z + shape.Depth - 1) * std::max(height, y + shape.Height) + y + shape.Height;
  return (rows - 1) * pitch + x + shape.WidthInBytes;
}

/// Returns the copy with each end stated as either host or device memory.
CUDA_MEMCPY3D with_known_ends(CUDA_MEMCPY3D shape) {
  if (shape.srcMemoryType == CU_MEMORYTYPE_UNIFIED && kind_of(shape.srcDevice) == CU_MEMORYTYPE_HOST) {
    shape.srcMemoryType = CU_MEMORYTYPE_HOST;
    shape.srcHost = reinterpret_cast<const void*>(shape.srcDevice);  // NOLINT(performance-no-int-to-ptr)
  }
  if (shape.dstMemoryType == CU_MEMORYTYPE_UNIFIED && kind_of(shape.dstDevice) == CU_MEMORYTYPE_HOST) {
    shape.dstMemoryType = CU_MEMORYTYPE_HOST;
    shape.dstHost = reinterpret_cast<void*>(shape.dstDevice);  // NOLINT(performance-no-int-to-ptr)
  }
  return shape;
}

/// Returns the bytes that the host end of a copy spans; 0 if both ends are device memory. The ends must be
/// known.
size_t host_bytes(const CUDA_MEMCPY3D& shape) {
  if (shape.srcMemoryType == CU_MEMORYTYPE_HOST)
    return host_span(shape.srcXInBytes, shape.srcY, shape.srcZ, shape.srcPitch, shape.srcHeight, shape);
  if (shape.dstMemoryType == CU_MEMORYTYPE_HOST)
    return host_span(shape.dstXInBytes, shape.dstY, shape.dstZ, shape.dstPitch, shape.dstHeight, shape);
  return 0;
}

CopyCall make_copy_call(CopyCall copy) {
  CUDA_MEMCPY3D& shape = copy.shape = with_known_ends(copy.shape);
  const size_t bytes = host_bytes(shape);
  if (shape.srcMemoryType == CU_MEMORYTYPE_HOST) {
    const auto* from = static_cast<const std::byte*>(shape.srcHost);
    copy.host = std::make_shared<std::vector<std::byte>>(from, from + bytes);
    copy.pageable = is_pageable(from);
    shape.srcHost = copy.host->data();
  } else if (shape.dstMemoryType == CU_MEMORYTYPE_HOST) {
    copy.host = std::make_shared<std::vector<std::byte>>(bytes);
    copy.pageable = is_pageable(shape.dstHost);
    shape.dstHost = copy.host->data();
  }
  return copy;
}

}  // namespace

size_t host_bytes(const CopyCall& copy) {
  return host_bytes(with_known_ends(copy.shape));
}

Call make_call(const LaunchView& view, FunctionTable& functions) {
  if (const auto* kernel = std::get_if<KernelView>(&view.what))
    return {make_kernel_call(*kernel, functions), view.stream};
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) return {make_copy_call(*copy), view.stream};
  return {std::get<MemsetCall>(view.what), view.stream};
}

}  // namespace kjoule::cuda
