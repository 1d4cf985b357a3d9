#pragma once
#include <cuda.h>

#include <array>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "kernels.hpp"
#include "timeline.hpp"

namespace stand_in {

struct KernelWork {
  CUfunction function = nullptr;  ///< may be a CUkernel in disguise
  Dimensions dimensions;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  ///< packed
  std::vector<CUlaunchAttribute> attributes;
  std::vector<void*> pointers;  ///< into `arguments`, for who asks a node
};
struct CopyWork {
  CUDA_MEMCPY3D shape{};
};
struct SetWork {
  CUDA_MEMSET_NODE_PARAMS what{};
};
struct RecordWork {
  CUevent event;
};
struct WaitWork {
  CUevent event;
};
struct EmptyWork {};
struct ChildWork {
  std::shared_ptr<CUgraph_st> graph;
};
struct HostWork {
  CUDA_HOST_NODE_PARAMS what;
};
struct ConditionalWork {};
/// Memory of a graph: it is there from the graph's first launch on, and stays.
struct AllocateWork {
  uint64_t address;
  size_t bytes;
};
struct FreeWork {
  uint64_t address;
};

/// What a stream can be asked to do and a graph's node can hold.
using Work = std::variant<EmptyWork, KernelWork, CopyWork, SetWork, RecordWork, WaitWork, ChildWork, HostWork,
                          ConditionalWork, AllocateWork, FreeWork>;

/// Who launched it, for the activity records.
struct Origin {
  uint32_t stream = 0;
  uint64_t node = 0;
  uint32_t graph = 0;
};

/// Does it, now, and advances `position` by the time that it takes. Throws IllegalAddress.
void run(const Work& work, Position& position, const Origin& origin);

/// Reads a launch's parameters as the driver does. CUDA_ERROR_INVALID_... when it cannot be launched.
CUresult make_kernel_work(CUfunction function, const Dimensions& dimensions, unsigned shared_bytes,
                          void* const* parameters, void* const* extra, KernelWork& work);

/// Whether the device's ends of the copy lie in memory that somebody holds.
bool can_copy(const CUDA_MEMCPY3D& shape);
/// Whether it reads memory of the host that the driver does not know: it is read before the call returns.
bool reads_pageable_memory(const CUDA_MEMCPY3D& shape);
CUDA_MEMCPY3D linear_copy(size_t bytes);
CUDA_MEMCPY3D copy_of_2d(const CUDA_MEMCPY2D& flat);

}  // namespace stand_in
