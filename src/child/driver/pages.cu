// Device code of the injected library, kept as PTX in it.

typedef unsigned long long word;

constexpr int kWordsOfPage = 512;  // 4 KiB

__device__ word scramble(word v) {
  v ^= v >> 30;
  v *= 0xbf58476d1ce4e5b9ull;
  v ^= v >> 27;
  v *= 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

// A hash of each page from `base` on; one block of 128 threads a page.
extern "C" __global__ void hash_pages(const word* base, word* hashes) {
  const word* page = base + static_cast<size_t>(blockIdx.x) * kWordsOfPage;
  word h = 0;
  for (int i = threadIdx.x; i < kWordsOfPage; i += blockDim.x)
    h += scramble(page[i] + 0x9e3779b97f4a7c15ull * (i + 1));
  for (int step = 16; step > 0; step /= 2) h += __shfl_down_sync(~0u, h, step);
  __shared__ word parts[4];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = h;
  __syncthreads();
  if (threadIdx.x == 0) hashes[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}

// Copies neighbouring pages; 256 threads a block. A run of pages may span several allocations, which no memcpy may.
extern "C" __global__ void copy_run(ulonglong2* to, const ulonglong2* from, word pages) {
  const word units = pages * (kWordsOfPage / 2);
  const word step = static_cast<word>(gridDim.x) * blockDim.x;
  for (word i = static_cast<word>(blockIdx.x) * blockDim.x + threadIdx.x; i < units; i += step) to[i] = from[i];
}

// Numbers of the pages whose hashes differ, in any order; makes `before` equal to `after`.
extern "C" __global__ void changed_pages(word* before, const word* after, unsigned pages, unsigned* changed,
                                         unsigned* count) {
  const unsigned page = blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || before[page] == after[page]) return;
  before[page] = after[page];
  changed[atomicAdd(count, 1u)] = page;
}

// Copies pages from[i] to to[i]; 256 threads a block.
extern "C" __global__ void copy_pages(const word* to, const word* from, unsigned pages) {
  for (unsigned p = blockIdx.x; p < pages; p += gridDim.x) {
    ulonglong2* target = reinterpret_cast<ulonglong2*>(to[p]);
    const ulonglong2* source = reinterpret_cast<const ulonglong2*>(from[p]);
    for (int i = threadIdx.x; i < kWordsOfPage / 2; i += blockDim.x) target[i] = source[i];
  }
}
