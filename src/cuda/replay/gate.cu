// Device code that is embedded as PTX in the injected library.

typedef unsigned long long word;

__device__ word now_ns() {
  word nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// Holds the stream until the host has raised `opened` to `number`, at most `most_ns`.
extern "C" __global__ void wait_for_host(const volatile unsigned* opened, unsigned number, word most_ns) {
  const word begin = now_ns();
  while (static_cast<int>(*opened - number) < 0 && now_ns() - begin < most_ns) __nanosleep(500);
}

// Holds the stream for `ns` nanoseconds.
extern "C" __global__ void pause(const unsigned* ns) {
  const word begin = now_ns();
  const word wanted = *ns;
  while (now_ns() - begin < wanted) __nanosleep(100);
}
