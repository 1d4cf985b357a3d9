#include "cuda/managed_memory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cuda/check.hpp"
#include "cuda/image_room.hpp"

namespace kjoule::cuda {

namespace {

/// Part of a GPU's memory that code, stacks and kjoule's own buffers take.
constexpr size_t kShareOfOthers = 16;

}  // namespace

void make_resident(const std::vector<Allocation>& allocations, CUstream stream) {
  uint64_t bytes = 0;
  bool is_any_managed = false;
  for (const Allocation& allocation : allocations) {
    if (allocation.kind != MemoryKind::host) bytes += allocation.bytes;
    is_any_managed |= allocation.kind == MemoryKind::managed;
  }
  if (!is_any_managed) return;
  size_t free = 0;
  size_t total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  if (bytes > total - total / kShareOfOthers)
    throw Error(fmt::format("the program uses {} of device memory, some of it managed; the GPU has {}, which "
                            "cannot hold all of it at once",
                            size_text(bytes), size_text(total)),
                "let the program use less memory, for example with a smaller batch");
  CUmemLocation gpu{};
  gpu.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUdevice device = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  gpu.id = device;
  for (const Allocation& allocation : allocations)
    if (allocation.kind == MemoryKind::managed)
      KJOULE_CU(cuMemPrefetchAsync(allocation.address, allocation.bytes, gpu, 0, stream));
  KJOULE_CU(cuStreamSynchronize(stream));
}

}  // namespace kjoule::cuda
