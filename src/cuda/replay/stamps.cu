// Device code that is embedded as PTX in the injected library.

typedef unsigned long long word;

// Returns the device clock in ns.
__device__ word now_ns() {
  word nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// Returns the first value of the device clock that differs from `ns`.
__device__ word next_ns(word ns) {
  word next = ns;
  while (next == ns) next = now_ns();
  return next;
}

// Writes the device clock to `slot`. Launched with one thread.
extern "C" __global__ void write_stamp(word* slot) {
  *slot = now_ns();
}

extern "C" __global__ void do_nothing() {}

// Measures the shortest and the mean of 64 steps of the device clock, in ns. Launched with one thread.
extern "C" __global__ void measure_clock_steps(double* shortest_and_mean) {
  constexpr int kSteps = 64;
  const word begin = next_ns(now_ns());
  word shortest = ~0ull;
  word last = begin;
  for (int i = 0; i < kSteps; ++i) {
    const word next = next_ns(last);
    shortest = min(shortest, next - last);
    last = next;
  }
  shortest_and_mean[0] = static_cast<double>(shortest);
  shortest_and_mean[1] = static_cast<double>(last - begin) / kSteps;
}
