#pragma once
#include <atomic>
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

/// A kernel that counts its launches in a variable of its module, and the name of this variable.
inline constexpr const char* kTally = "tally";
unsigned* tally(int device);

/// A kernel that is named as one of NVSHMEM's; it fills memory.
inline constexpr const char* kNvshmem = "nvshmemi_fill_kernel";

/// A communicator in the memory of each rank's device, as NCCL's is. Each rank writes into the mailboxes of
/// the others, which are in their memory.
constexpr unsigned kMostRanks = 16, kMailFloats = 256;
struct Mailbox {
  uint64_t arrived[kMostRanks];            ///< number of the last message that arrived from each rank
  uint64_t read;                           ///< number of the last message that its owner has read
  uint64_t read_of[kMostRanks];            ///< numbers of the last messages read that were for its owner only
  float mail[2][kMostRanks][kMailFloats];  ///< contents, by the parity of the message number
};
struct Communicator {
  unsigned ranks;
  unsigned own;
  unsigned number;                ///< 0 or 1; the communicator's part of Arrivals
  uint64_t messages;              ///< messages that this rank has sent to all ranks
  uint64_t sent[kMostRanks];      ///< messages to one rank
  uint64_t received[kMostRanks];  ///< messages from one rank
  Mailbox* mailboxes[kMostRanks];
};
/// Virtual times at which the ranks began a kernel for all ranks: by communicator, parity of the message
/// number, and rank. The devices exchange them outside of their memory, because replays must not differ. The
/// environment variable kArrivals has the address, at which all ranks map the same memory.
struct Arrivals {
  std::atomic<double> ns[2][2][kMostRanks];
};
inline constexpr const char* kArrivals = "FAKE_CUDA_ARRIVALS";
/// A kernel named as one of NCCL's: adds up `count` floats of all ranks.
inline constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
/// The same, but a process of the host must permit each message by incrementing a number.
inline constexpr const char* kReduceIfPermitted = "ncclDevKernel_AllReduce_Sum_f32_RING_SIMPLE";
/// The same, with arguments like those of NCCL: a communicator, a mask, and the place of the work.
struct QueuedWork {
  Communicator* communicator;
  uint64_t channels;
  uint8_t place;
  float* data;
  char rest[16];
};
/// Kernels named like one of NCCL's that send `count` floats to the next rank, and receive them from the
/// previous one. A sender waits while two messages have not been received.
inline constexpr const char* kSend = "ncclDevKernel_SendRecv_to_next";
inline constexpr const char* kReceive = "ncclDevKernel_SendRecv_from_last";
inline constexpr const char* kReduceQueued = "ncclDevKernel_AllReduce_Sum_f32_RING_LL128";

}  // namespace stand_in
