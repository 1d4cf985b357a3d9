// Device code that is embedded as PTX in the injected library. `signals` has a line of 32 words for each rank,
// in host memory that all ranks share. Word 0 counts the rank's meetings, word 1 the pings of the first rank to
// this rank, and words 2 and 3 are the rank's reply to the last ping.

typedef unsigned long long word;

constexpr unsigned kSignalWords = 32;
constexpr unsigned kPing = 1, kReply = 2;

// Returns the device clock in ns.
__device__ word now_ns() {
  word nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// Waits until the GPUs of all ranks have reached this kernel as often as this GPU. `place` counts the meetings
// of this rank.
extern "C" __global__ void kjoule_meet_ranks(volatile unsigned* signals, unsigned* place, unsigned own,
                                             unsigned ranks) {
  __shared__ unsigned number;
  if (threadIdx.x == 0) {
    number = ++*place;
    __threadfence_system();
    signals[own * kSignalWords] = number;
  }
  __syncthreads();
  if (threadIdx.x >= ranks) return;
  while (static_cast<int>(signals[threadIdx.x * kSignalWords] - number) < 0) {
  }
}

// Compares the device clocks of all ranks with that of the first one, which pings each other rank 16 times; a
// rank replies with its clock. For the shortest round trip to each rank, the first rank writes by how many ns the
// rank's clock is ahead of the middle of the round trip, and how many ns the round trip took, to results[2 x rank].
// `seen` counts the pings that a rank has seen. Launched with one thread.
extern "C" __global__ void kjoule_compare_clocks(volatile unsigned* signals, unsigned* seen, unsigned own,
                                                 unsigned ranks, long long* results) {
  constexpr int kRounds = 16;
  if (own != 0) {
    volatile unsigned* line = signals + own * kSignalWords;
    unsigned last = *seen;
    for (int round = 0; round < kRounds; ++round) {
      while (line[kPing] == last) {
      }
      *reinterpret_cast<volatile word*>(line + kReply) = now_ns();
      ++last;
    }
    *seen = last;
    return;
  }
  for (unsigned rank = 1; rank < ranks; ++rank) {
    volatile unsigned* line = signals + rank * kSignalWords;
    const volatile word* reply = reinterpret_cast<volatile word*>(line + kReply);
    unsigned ping = line[kPing];
    word last = *reply;
    long long shortest = 0;
    for (int round = 0; round < kRounds; ++round) {
      const word begin = now_ns();
      line[kPing] = ++ping;
      word answer = last;
      while (answer == last) answer = *reply;
      const long long took = static_cast<long long>(now_ns() - begin);
      last = answer;
      if (round > 0 && took >= shortest) continue;
      shortest = took;
      results[2 * rank] = static_cast<long long>(answer - begin) - took / 2;
      results[2 * rank + 1] = took;
    }
  }
}
