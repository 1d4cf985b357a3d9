#include "cuda/regained_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "cuda/check.hpp"

namespace kjoule::cuda {

namespace {

/// Attempts to get a range by ordinary allocation, for each range.
constexpr size_t kAttempts = 16;

CUdeviceptr allocate_like(const Allocation& range) {
  CUdeviceptr address = 0;
  const CUresult result = range.kind == MemoryKind::managed
                              ? cuMemAllocManaged(&address, range.bytes, CU_MEM_ATTACH_GLOBAL)
                              : cuMemAlloc(&address, range.bytes);
  return result == CUDA_SUCCESS ? address : 0;
}

CUmemAllocationProp memory_of_current_gpu() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUdevice device = 0;
  KJOULE_CU(cuCtxGetDevice(&device));
  properties.location.id = device;
  return properties;
}

/// Returns the smallest range of whole units of mapping around this one.
Allocation align(const Allocation& range, size_t unit) {
  const uint64_t begin = range.address / unit * unit;
  return {begin, (range.end() - begin + unit - 1) / unit * unit, range.kind};
}

}  // namespace

RegainedMemory::RegainedMemory(std::vector<Allocation> freed) {
  try {
    allocate(freed);
    if (freed.empty()) return;
    const CUmemAllocationProp properties = memory_of_current_gpu();
    size_t unit = 0;
    KJOULE_CU(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    for (Allocation& range : freed) range = align(range, unit);
    for (const Allocation& range : merge_overlaps(freed))
      if (!map(range))
        throw Error(
            fmt::format("the iteration cannot be replayed: it frees device memory between its launches, and "
                        "the addresses of {} bytes of it cannot be used again",
                        range.bytes),
            "--skip-iterations N records a later one; --range NAME chooses a part that frees none");
  } catch (...) {
    free_all();
    throw;
  }
}

RegainedMemory::~RegainedMemory() {
  free_all();
}

void RegainedMemory::allocate(std::vector<Allocation>& missing) {
  // Large ranges first: a small one could be cut from the place of a large one.
  std::ranges::sort(missing, std::greater(), &Allocation::bytes);
  std::vector<CUdeviceptr> others;
  std::vector<Allocation> not_returned;
  while (!missing.empty()) {
    const Allocation wanted = missing.front();
    for (size_t attempt = 0; attempt < kAttempts && !missing.empty() && missing.front() == wanted;
         ++attempt) {
      const CUdeviceptr address = wanted.kind == MemoryKind::mapped ? 0 : allocate_like(wanted);
      if (address == 0) break;
      const auto returned = std::erase_if(missing, [&](const Allocation& range) {
        return range.kind == wanted.kind && range.address >= address && range.end() <= address + wanted.bytes;
      });
      (returned > 0 ? allocated_ : others).push_back(address);
    }
    if (missing.empty() || missing.front() != wanted) continue;
    not_returned.push_back(wanted);
    missing.erase(missing.begin());
  }
  for (const CUdeviceptr address : others) cuMemFree(address);
  missing = std::move(not_returned);
}

bool RegainedMemory::map(const Allocation& range) {
  const CUmemAllocationProp properties = memory_of_current_gpu();
  Mapping mapping{range.address, range.bytes};
  if (cuMemCreate(&mapping.handle, range.bytes, &properties, 0) != CUDA_SUCCESS) return false;
  CUdeviceptr reserved = 0;
  if (range.kind != MemoryKind::mapped) {  // the program keeps the addresses of memory that it unmaps
    if (cuMemAddressReserve(&reserved, range.bytes, 0, range.address, 0) != CUDA_SUCCESS) reserved = 0;
    mapping.is_reserved_here = reserved == range.address;
  }
  const bool is_usable = range.kind == MemoryKind::mapped || mapping.is_reserved_here;
  if (!is_usable || cuMemMap(range.address, range.bytes, 0, mapping.handle, 0) != CUDA_SUCCESS) {
    if (reserved != 0) cuMemAddressFree(reserved, range.bytes);
    cuMemRelease(mapping.handle);
    return false;
  }
  mapped_.push_back(mapping);
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return cuMemSetAccess(range.address, range.bytes, &access, 1) == CUDA_SUCCESS;
}

void RegainedMemory::free_all() {
  for (const CUdeviceptr address : allocated_) cuMemFree(address);
  for (const Mapping& mapping : mapped_) {
    cuMemUnmap(mapping.address, mapping.bytes);
    cuMemRelease(mapping.handle);
    if (mapping.is_reserved_here) cuMemAddressFree(mapping.address, mapping.bytes);
  }
  allocated_.clear();
  mapped_.clear();
}

}  // namespace kjoule::cuda
