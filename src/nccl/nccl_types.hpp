#pragma once
// The functions and constants of NCCL that kjoule-nccl uses, as nccl.h declares them since NCCL 2.10. They
// are declared here, so that kjoule is built without NCCL.

#include <cuda.h>

#include <cstddef>

namespace kjoule::nccl {

struct Communicator;  ///< ncclComm
using CommunicatorHandle = Communicator*;

/// ncclUniqueId: names a communicator that is being made.
struct UniqueId {
  char bytes[128];
};

using Result = int;
inline constexpr Result kSuccess = 0;

/// ncclDataType_t
enum class DataType : int { float16 = 6, float32 = 7, bfloat16 = 9 };
/// ncclRedOp_t
enum class Reduction : int { sum = 0, max = 2 };

using GetVersion = Result(int* version);
using GetUniqueId = Result(UniqueId* id);
using CommInitRank = Result(CommunicatorHandle* communicator, int ranks, UniqueId id, int rank);
using GetErrorString = const char*(Result result);
using Group = Result();
using AllReduce = Result(const void* sent, void* received, size_t count, DataType type, Reduction reduction,
                         CommunicatorHandle communicator, CUstream stream);
using AllGather = Result(const void* sent, void* received, size_t count, DataType type,
                         CommunicatorHandle communicator, CUstream stream);
using ReduceScatter = AllReduce;
using Broadcast = Result(const void* sent, void* received, size_t count, DataType type, int root,
                         CommunicatorHandle communicator, CUstream stream);
using Send = Result(const void* sent, size_t count, DataType type, int peer, CommunicatorHandle communicator,
                    CUstream stream);
using Receive = Result(void* received, size_t count, DataType type, int peer, CommunicatorHandle communicator,
                       CUstream stream);

}  // namespace kjoule::nccl
