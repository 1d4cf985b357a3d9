#include "cuda/managed_memory.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "cuda/check.hpp"

namespace kjoule::cuda {

void make_resident(const std::vector<Allocation>& allocations, CUstream stream) {
  uint64_t bytes = 0;
  bool is_any_managed = false;
  for (const Allocation& allocation : allocations) {
    bytes += allocation.bytes;
    is_any_managed |= allocation.kind == MemoryKind::managed;
  }
  if (!is_any_managed) return;
  size_t free = 0;
  size_t total = 0;
  KJOULE_CU(cuMemGetInfo(&free, &total));
  if (2 * bytes > total)
    throw Error(fmt::format("the program uses {:.1f} GiB of device memory, some of it managed; the GPU has "
                            "{:.1f} GiB, which has no room for kjoule's copy",
                            static_cast<double>(bytes) / (1 << 30), static_cast<double>(total) / (1 << 30)),
                "run a smaller batch");
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
