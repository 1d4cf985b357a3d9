#include "cuda/memory/managed_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/memory/image_room.hpp"

namespace kjoule::cuda {

namespace {

/// Code, stacks and kjoule's own buffers take 1 / kShareOfOthers of a GPU's memory.
constexpr size_t kShareOfOthers = 16;
constexpr uint64_t kSizeUnit = 16;  ///< bytes; sizes are rounded up to multiples of it

/// Moves a range to the GPU. The range may contain several neighbouring managed allocations, but the driver
/// accepts only ranges within one allocation.
void move_range(const Allocation& range, const CUmemLocation& gpu, CUstream stream, UnmovedMemory& unmoved) {
  for (uint64_t at = range.address; at < range.end();) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    CUresult result = cuMemGetAddressRange(&base, &bytes, at);
    // Because sizes are rounded up, less than kSizeUnit bytes between two allocations may belong to neither.
    const uint64_t end = std::min<uint64_t>(
        result == CUDA_SUCCESS ? base + bytes : (at / kSizeUnit + 1) * kSizeUnit, range.end());
    if (result == CUDA_SUCCESS) {
      result = cuMemPrefetchAsync(at, end - at, gpu, 0, stream);
      if (result != CUDA_SUCCESS) {
        unmoved.bytes += end - at;
        unmoved.why = message_of(result);
      }
    }
    at = end;
  }
}

}  // namespace

UnmovedMemory make_resident(const std::vector<Allocation>& allocations, CUstream stream) {
  uint64_t bytes = 0;
  bool is_any_managed = false;
  for (const Allocation& allocation : allocations) {
    if (allocation.kind != MemoryKind::host) bytes += allocation.bytes;
    is_any_managed |= allocation.kind == MemoryKind::managed;
  }
  UnmovedMemory unmoved;
  if (!is_any_managed) return unmoved;
  size_t free = 0;
  size_t total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  if (bytes > total - total / kShareOfOthers)
    throw Error(fmt::format("the program uses {} of device memory, some of it managed; the GPU has {}, too "
                            "little for this memory together with code, stacks and kjoule's buffers",
                            size_text(bytes), size_text(total)),
                "let the program use less memory, for example with a smaller batch");
  CUmemLocation gpu{};
  gpu.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUdevice device = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  gpu.id = device;
  for (const Allocation& allocation : allocations)
    if (allocation.kind == MemoryKind::managed) move_range(allocation, gpu, stream, unmoved);
  KJOULE_CU(cuStreamSynchronize(stream));
  return unmoved;
}

}  // namespace kjoule::cuda
