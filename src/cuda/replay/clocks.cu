// Device code that is embedded as PTX in the injected library.

typedef unsigned long long word;

// Stores the cycle counter and the device clock in ns of each multiprocessor. Launched so that every
// multiprocessor gets a block.
extern "C" __global__ void read_clocks(ulonglong2* of_processor) {
  if (threadIdx.x != 0) return;
  unsigned processor;
  word nanoseconds;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  of_processor[processor] = make_ulonglong2(clock64(), nanoseconds);
}
