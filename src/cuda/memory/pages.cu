// Device code that is embedded as PTX in the injected library.

typedef unsigned long long word;

constexpr int kWordsOfPage = 512;  // 4 KiB

__device__ word scramble(word v) {
  v ^= v >> 30;
  v *= 0xbf58476d1ce4e5b9ull;
  v ^= v >> 27;
  v *= 0x94d049bb133111ebull;
  return v ^ (v >> 31);
}

// Returns the hash of `words` words. Needs one block of 128 threads.
__device__ word hash_of(const word* first, int words) {
  word h = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) h += scramble(first[i] + 0x9e3779b97f4a7c15ull * (i + 1));
  for (int step = 16; step > 0; step /= 2) h += __shfl_down_sync(~0u, h, step);
  __shared__ word parts[4];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = h;
  __syncthreads();
  return parts[0] + parts[1] + parts[2] + parts[3];
}

// Stores a hash for each page of the `bytes` bytes from `base`. Launched with one block of 128 threads per
// page.
extern "C" __global__ void hash_pages(const word* base, word bytes, word* hashes) {
  const word first = static_cast<word>(blockIdx.x) * kWordsOfPage;
  const word left = bytes / sizeof(word) - first;
  const word h = hash_of(base + first, left < kWordsOfPage ? static_cast<int>(left) : kWordsOfPage);
  if (threadIdx.x == 0) hashes[blockIdx.x] = h;
}

// Stores the hash of each listed page. Launched with one block of 128 threads per page.
extern "C" __global__ void hash_listed_pages(const word* address, const word* bytes, word* hashes) {
  const unsigned page = blockIdx.x;
  const word h =
      hash_of(reinterpret_cast<const word*>(address[page]), static_cast<int>(bytes[page] / sizeof(word)));
  if (threadIdx.x == 0) hashes[page] = h;
}

// Stores the new hash of each listed page whose hash differs from that in `hashes`, and then `mark` in
// `marks`. Launched with one block of 128 threads per page.
extern "C" __global__ void mark_changed_pages(const word* address, const word* bytes, unsigned mark, word* hashes,
                                              unsigned* marks) {
  const unsigned page = blockIdx.x;
  const word h =
      hash_of(reinterpret_cast<const word*>(address[page]), static_cast<int>(bytes[page] / sizeof(word)));
  if (threadIdx.x != 0 || hashes[page] == h) return;
  hashes[page] = h;
  marks[page] = mark;
}

// Counts the values of each page that are infinite or NaN when read as 32-bit floats or bfloat16 (first
// count) and as 16-bit floats (second). Launched with one block of 128 threads per page.
extern "C" __global__ void count_non_finite(const word* base, word bytes, uint2* counts) {
  const word first = static_cast<word>(blockIdx.x) * kWordsOfPage;
  const word left = bytes / sizeof(word) - first;
  const int words = left < kWordsOfPage ? static_cast<int>(left) : kWordsOfPage;
  unsigned single = 0, half = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    for (int shift = 0; shift < 64; shift += 16) {
      const unsigned bits = static_cast<unsigned>(base[first + i] >> shift) & 0xffff;
      if ((bits & 0x7f80) == 0x7f80) ++single;
      if ((bits & 0x7c00) == 0x7c00) ++half;
    }
  __shared__ unsigned singles, halves;
  if (threadIdx.x == 0) singles = halves = 0;
  __syncthreads();
  atomicAdd(&singles, single);
  atomicAdd(&halves, half);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = make_uint2(singles, halves);
}

// Copies memory in units of 16 bytes.
extern "C" __global__ void copy_run(ulonglong2* to, const ulonglong2* from, word bytes) {
  const word step = static_cast<word>(gridDim.x) * blockDim.x;
  for (word i = static_cast<word>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes / 16; i += step) to[i] = from[i];
}

// Stores the numbers of the pages whose hashes differ, in any order, and makes `before` equal to `after`.
extern "C" __global__ void changed_pages(word* before, const word* after, unsigned pages, unsigned* changed,
                                         unsigned* count) {
  const unsigned page = blockIdx.x * blockDim.x + threadIdx.x;
  if (page >= pages || before[page] == after[page]) return;
  before[page] = after[page];
  changed[atomicAdd(count, 1u)] = page;
}

// Copies bytes[i] bytes from from[i] to to[i] for each i. Launched with 256 threads per block. Reads bypass
// the caches (__ldcs), so that they displace less of the program's data there.
extern "C" __global__ void copy_pages(const word* to, const word* from, const word* bytes, unsigned pages) {
  for (unsigned p = blockIdx.x; p < pages; p += gridDim.x) {
    ulonglong2* target = reinterpret_cast<ulonglong2*>(to[p]);
    const ulonglong2* source = reinterpret_cast<const ulonglong2*>(from[p]);
    const int units = static_cast<int>(bytes[p] / 16);
    for (int i = threadIdx.x; i < units; i += blockDim.x) target[i] = __ldcs(source + i);
  }
}
