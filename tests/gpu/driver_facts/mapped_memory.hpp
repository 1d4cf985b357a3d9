// Physical memory of device 0 that is mapped at an address of our choice.
#pragma once
#include <cuda.h>

#include <cstddef>

namespace facts {

/// Returns the smallest size that can be mapped.
size_t mapping_granularity();

/// Returns new memory, which is not mapped.
CUmemGenericAllocationHandle new_memory(size_t bytes);

/// Maps the memory at a reserved address, and lets device 0 read and write it.
void map_memory(CUdeviceptr address, size_t bytes, CUmemGenericAllocationHandle memory);

/// Maps new memory at a reserved address.
CUmemGenericAllocationHandle mapped_memory(CUdeviceptr address, size_t bytes);

}  // namespace facts
