#include "mapped_memory.hpp"

#include "facts.hpp"

namespace facts {

namespace {

CUmemAllocationProp properties() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 0;
  return properties;
}

}  // namespace

size_t mapping_granularity() {
  size_t bytes = 0;
  const CUmemAllocationProp wanted = properties();
  NEED(cuMemGetAllocationGranularity(&bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  return bytes;
}

CUmemGenericAllocationHandle new_memory(size_t bytes) {
  CUmemGenericAllocationHandle memory = 0;
  const CUmemAllocationProp wanted = properties();
  NEED(cuMemCreate(&memory, bytes, &wanted, 0));
  return memory;
}

void map_memory(CUdeviceptr address, size_t bytes, CUmemGenericAllocationHandle memory) {
  CUmemAccessDesc access{};
  access.location = properties().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  NEED(cuMemMap(address, bytes, 0, memory, 0));
  NEED(cuMemSetAccess(address, bytes, &access, 1));
}

CUmemGenericAllocationHandle mapped_memory(CUdeviceptr address, size_t bytes) {
  const CUmemGenericAllocationHandle memory = new_memory(bytes);
  map_memory(address, bytes, memory);
  return memory;
}

}  // namespace facts
