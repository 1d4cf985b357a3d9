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
  CUfunction function = nullptr;  ///< may be a CUkernel that is cast
  Dimensions dimensions;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  ///< packed
  std::vector<CUlaunchAttribute> attributes;
  std::vector<void*> pointers;  ///< pointers into `arguments`, for queries of a node's parameters
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
/// Memory of a graph. It exists from the graph's first launch on, and stays.
struct AllocateWork {
  uint64_t address;
  size_t bytes;
};
struct FreeWork {
  uint64_t address;
};

/// The kinds of work that a stream can do and a graph's node can contain.
using Work = std::variant<EmptyWork, KernelWork, CopyWork, SetWork, RecordWork, WaitWork, ChildWork, HostWork,
                          ConditionalWork, AllocateWork, FreeWork>;

/// The origin of a launch, for the activity records.
struct Origin {
  uint32_t stream = 0;
  uint64_t node = 0;
  uint32_t graph = 0;
};

/// Executes the work now, and advances `position` by the time that it takes. Throws IllegalAddress.
void run(const Work& work, Position& position, const Origin& origin);

/// Reads a launch's parameters as the driver does. Returns CUDA_ERROR_INVALID_... if the function cannot be
/// launched.
CUresult make_kernel_work(CUfunction function, const Dimensions& dimensions, unsigned shared_bytes,
                          void* const* parameters, void* const* extra, KernelWork& work);

/// Returns whether the device ends of the copy are in allocated memory.
bool can_copy(const CUDA_MEMCPY3D& shape);
/// Returns whether the copy reads host memory that the driver does not know, which is read before the call
/// returns.
bool reads_pageable_memory(const CUDA_MEMCPY3D& shape);
CUDA_MEMCPY3D linear_copy(size_t bytes);
CUDA_MEMCPY3D copy_of_2d(const CUDA_MEMCPY2D& flat);

}  // namespace stand_in
