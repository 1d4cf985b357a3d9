#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "cuda/reader.hpp"

namespace kjoule::driver {

const std::shared_ptr<const Function>& Functions::of(CUfunction handle) {
  auto& function = known_[handle];
  if (!function) function = describe(handle);
  return function;
}

namespace {

/// Returns whether an address is device or host memory. The driver does not know ordinary host memory.
CUmemorytype kind_of(CUdeviceptr address) {
  unsigned type = 0;
  const CUresult result = cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
  return result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

KernelCall keep_kernel(const KernelView& view, Functions& functions) {
  KernelCall call;
  call.function = functions.of(view.function);
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

CopyCall keep_copy(CopyCall copy) {
  CUDA_MEMCPY3D& shape = copy.shape;
  if (shape.srcMemoryType == CU_MEMORYTYPE_UNIFIED && kind_of(shape.srcDevice) == CU_MEMORYTYPE_HOST) {
    shape.srcMemoryType = CU_MEMORYTYPE_HOST;
    shape.srcHost = reinterpret_cast<const void*>(shape.srcDevice);  // NOLINT(performance-no-int-to-ptr)
  }
  if (shape.dstMemoryType == CU_MEMORYTYPE_UNIFIED && kind_of(shape.dstDevice) == CU_MEMORYTYPE_HOST) {
    shape.dstMemoryType = CU_MEMORYTYPE_HOST;
    shape.dstHost = reinterpret_cast<void*>(shape.dstDevice);  // NOLINT(performance-no-int-to-ptr)
  }
  if (shape.srcMemoryType == CU_MEMORYTYPE_HOST) {
    const size_t bytes =
        host_span(shape.srcXInBytes, shape.srcY, shape.srcZ, shape.srcPitch, shape.srcHeight, shape);
    const auto* from = static_cast<const std::byte*>(shape.srcHost);
    copy.host = std::make_shared<std::vector<std::byte>>(from, from + bytes);
    shape.srcHost = copy.host->data();
  } else if (shape.dstMemoryType == CU_MEMORYTYPE_HOST) {
    const size_t bytes =
        host_span(shape.dstXInBytes, shape.dstY, shape.dstZ, shape.dstPitch, shape.dstHeight, shape);
    copy.host = std::make_shared<std::vector<std::byte>>(bytes);
    shape.dstHost = copy.host->data();
  }
  return copy;
}

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void add(const void* data, size_t bytes) { XXH3_64bits_update(&state_, data, bytes); }
  template <typename T>
  void add(const T& value) {
    add(&value, sizeof value);
  }
  uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

/// Returns the hash of a kernel launch without its arguments.
uint64_t hash_of_shape(CUfunction function, const std::array<unsigned, 3>& grid,
                       const std::array<unsigned, 3>& block, unsigned shared_bytes) {
  const struct {
    CUfunction function;
    std::array<unsigned, 3> grid, block;
    unsigned shared_bytes, zero;
  } shape{function, grid, block, shared_bytes, 0};
  return XXH3_64bits(&shape, sizeof shape);
}

LaunchHashes hash(const KernelView& view, Functions& functions) {
  const Function& function = *functions.of(view.function);
  uint64_t arguments = 0;
  if (view.packed != nullptr) {
    arguments = XXH3_64bits(view.packed, view.packed_bytes);
  } else if (view.arguments != nullptr) {
    // One hash over all arguments costs less than one hash for each.
    thread_local std::vector<std::byte> packed;
    packed.assign(function.bytes, std::byte{0});
    for (size_t i = 0; i < function.sizes.size(); ++i)
      std::memcpy(packed.data() + function.offsets[i], view.arguments[i], function.sizes[i]);
    arguments = XXH3_64bits(packed.data(), packed.size());
  }
  return {hash_of_shape(view.function, view.grid, view.block, view.shared_bytes), arguments};
}

LaunchHashes hash(const CopyCall& copy) {
  Hash signature;
  Hash arguments;
  signature.add(copy.bytes());
  signature.add(copy.shape.Height);
  arguments.add(copy.shape.srcDevice);
  arguments.add(copy.shape.dstDevice);
  return {signature.value(), arguments.value()};
}

LaunchHashes hash(const SetCall& set) {
  Hash signature;
  Hash arguments;
  signature.add(set.width);
  signature.add(set.height);
  arguments.add(set.to);
  return {signature.value(), arguments.value()};
}

LaunchHashes hash(const KernelCall& call) {
  return {hash_of_shape(call.function->handle, call.grid, call.block, call.shared_bytes),
          XXH3_64bits(call.arguments.data(), call.arguments.size())};
}

}  // namespace

Call keep(const LaunchView& view, Functions& functions) {
  if (const auto* kernel = std::get_if<KernelView>(&view.what))
    return {keep_kernel(*kernel, functions), view.stream};
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) return {keep_copy(*copy), view.stream};
  return {std::get<SetCall>(view.what), view.stream};
}

LaunchHashes hashes(const LaunchView& view, Functions& functions) {
  if (const auto* kernel = std::get_if<KernelView>(&view.what)) return hash(*kernel, functions);
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) return hash(*copy);
  return hash(std::get<SetCall>(view.what));
}

LaunchHashes hashes(const Call& call) {
  return std::visit([](const auto& what) { return hash(what); }, call.what);
}

}  // namespace kjoule::driver
