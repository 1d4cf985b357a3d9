"""Device memory by pages: hashes, copies."""
import cupy
import numpy
import torch
from cuda.bindings import driver

PAGE = 4096
KERNELS = cupy.RawModule(code=r"""
extern "C" __global__ void hash_pages(const unsigned long long* base, unsigned long long* hashes) {
  const unsigned long long* page = base + (size_t)blockIdx.x * 512;
  unsigned long long h = 0;
  for (int i = threadIdx.x; i < 512; i += blockDim.x) {
    unsigned long long v = page[i] + 0x9e3779b97f4a7c15ull * (i + 1);
    v ^= v >> 30; v *= 0xbf58476d1ce4e5b9ull; v ^= v >> 27; v *= 0x94d049bb133111ebull; v ^= v >> 31;
    h += v;
  }
  for (int d = 16; d; d >>= 1) h += __shfl_down_sync(~0u, h, d);
  __shared__ unsigned long long part[4];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = h;
  __syncthreads();
  if (threadIdx.x == 0) hashes[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
extern "C" __global__ void copy_pages(const unsigned long long* to, const unsigned long long* from, int pages) {
  for (int p = blockIdx.x; p < pages; p += gridDim.x) {
    ulonglong2* d = (ulonglong2*)to[p];
    const ulonglong2* s = (const ulonglong2*)from[p];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) d[i] = s[i];
  }
}
""")
HASH, COPY = KERNELS.get_function("hash_pages"), KERNELS.get_function("copy_pages")


def check(result):
    if result[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else result[1:]


class Memory:
    """All device memory that torch holds, by pages."""

    def __init__(self):
        self.segments = [(s["address"], s["total_size"] // PAGE) for s in torch.cuda.memory_snapshot()]
        self.first = numpy.cumsum([0] + [pages for _, pages in self.segments])
        self.pages = int(self.first[-1])

    def hashes(self):
        out = cupy.empty(self.pages, dtype=cupy.uint64)
        for (address, pages), first in zip(self.segments, self.first):
            HASH((pages,), (128,), (address, out[first:].data.ptr))
        return out

    def addresses(self, pages):
        segment = numpy.searchsorted(self.first, pages, side="right") - 1
        starts = numpy.array([address for address, _ in self.segments], dtype=numpy.uint64)
        return starts[segment] + (pages - self.first[segment]).astype(numpy.uint64) * numpy.uint64(PAGE)

    def copied(self):
        copies = []
        for address, pages in self.segments:
            copy = cupy.cuda.alloc(pages * PAGE)
            check(driver.cuMemcpyDtoD(copy.ptr, address, pages * PAGE) + (None,))
            copies.append(copy)
        return copies

    def restoring(self, copies):
        for (address, pages), copy in zip(self.segments, copies):
            check(driver.cuMemcpyDtoD(address, copy.ptr, pages * PAGE) + (None,))
