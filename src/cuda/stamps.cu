// Device code of the injected library, kept as PTX in it.

typedef unsigned long long word;

// The device clock.
__device__ word now_ns() {
  word nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// What the clock shows when it no longer shows `ns`.
__device__ word next_ns(word ns) {
  word next = ns;
  while (next == ns) next = now_ns();
  return next;
}

// Launched with one thread.
extern "C" __global__ void write_stamp(word* slot) {
  *slot = now_ns();
}

extern "C" __global__ void do_nothing() {}

// The shortest and the mean of 64 steps of the clock, in ns; launched with one thread.
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
