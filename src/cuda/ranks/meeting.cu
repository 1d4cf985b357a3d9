// Device code that is embedded as PTX in the injected library.

// Waits until the GPUs of all ranks have reached this kernel as often as this GPU. `signals` has one word for
// each rank, a cache line apart, in host memory that all ranks share. `place` counts the meetings of this
// rank.
extern "C" __global__ void kjoule_meet_ranks(volatile unsigned* signals, unsigned* place, unsigned own,
                                             unsigned ranks) {
  __shared__ unsigned number;
  constexpr unsigned kSignalWords = 32;
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
