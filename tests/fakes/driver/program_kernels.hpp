#pragma once
#include <cstdint>

namespace stand_in {

/// An argument of `mix` that is a struct.
struct MixShape {
  unsigned rows;
  unsigned columns;
  double scale;
  char transposed;
};

/// As nvcc would mangle mix(float*, const float*, const float*, MixShape, float, bool, int).
inline constexpr const char* kMix = "_Z3mixPfPKfS1_8MixShapefbi";

/// A kernel that counts its launches, and the variable of its module in which it does.
inline constexpr const char* kTally = "tally";
unsigned* tally();

/// A kernel that is named as one of NVSHMEM's; it fills memory.
inline constexpr const char* kNvshmem = "nvshmemi_fill_kernel";

/// A communicator in the memory of each rank's device, as NCCL's is. Each rank writes into the mailboxes of
/// the others, which are in their memory.
constexpr unsigned kMostRanks = 16, kMailFloats = 256;
struct Mailbox {
  uint64_t arrived[kMostRanks];            ///< number of the last message of each rank
  uint64_t read;                           ///< number of the last message that its owner has read
  uint64_t read_of[kMostRanks];            ///< the same, of those for its owner only
  float mail[2][kMostRanks][kMailFloats];  ///< by parity of the number
};
struct Communicator {
  unsigned ranks;
  unsigned own;
  uint64_t messages;              ///< that this rank has sent to all
  uint64_t sent[kMostRanks];      ///< messages to one rank
  uint64_t received[kMostRanks];  ///< messages from one rank
  Mailbox* mailboxes[kMostRanks];
};
/// A kernel named as one of NCCL's: adds up `count` floats of all ranks.
inline constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
/// The same, for whose messages a process of the host counts up a number first.
inline constexpr const char* kReduceIfPermitted = "ncclDevKernel_AllReduce_Sum_f32_RING_SIMPLE";
/// The same, with arguments as of NCCL: a communicator, a mask, and the place of the work.
struct QueuedWork {
  Communicator* communicator;
  uint64_t channels;
  uint8_t place;
  float* data;
  char rest[16];
};
/// Kernels named as one of NCCL's that send `count` floats to the next rank, and receive them from the last
/// one. A sender waits when two messages are under way.
inline constexpr const char* kSend = "ncclDevKernel_SendRecv_to_next";
inline constexpr const char* kReceive = "ncclDevKernel_SendRecv_from_last";
inline constexpr const char* kReduceQueued = "ncclDevKernel_AllReduce_Sum_f32_RING_LL128";

}  // namespace stand_in
