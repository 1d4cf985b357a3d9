// Which forms of managed memory can be prefetched to the GPU, by which form of the call?
#include <cuda_runtime.h>

#include <cstring>
#include <utility>

#include "facts.hpp"
#include "probes.hpp"

namespace facts {

namespace {

constexpr size_t kBytes = 4 << 20;
constexpr unsigned kSeed = 7;

__managed__ unsigned variable[kBytes / sizeof(unsigned)];
__managed__ unsigned small_variable[3];

struct Range {
  CUdeviceptr address = 0;
  size_t bytes = kBytes;
};

Range managed(unsigned flags, size_t bytes = kBytes) {
  Range range{0, bytes};
  NEED(cuMemAllocManaged(&range.address, bytes, flags));
  return range;
}

CUmemLocation location(CUmemLocationType type) { return {.type = type, .id = 0}; }
CUmemLocation gpu() { return location(CU_MEM_LOCATION_TYPE_DEVICE); }

Range advised(CUmem_advise advice, CUmemLocation where) {
  const Range range = managed(CU_MEM_ATTACH_GLOBAL);
  tell("cuMemAdvise", name_of(cuMemAdvise(range.address, range.bytes, advice, where)));
  return range;
}

CUstream own_stream() {
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

/// Returns managed memory that only one stream may use.
Range attached(unsigned flags, CUstream stream) {
  const Range range = managed(CU_MEM_ATTACH_HOST);
  tell("cuStreamAttachMemAsync", name_of(cuStreamAttachMemAsync(stream, range.address, 0, flags)));
  NEED(cuStreamSynchronize(stream));
  return range;
}

Range symbol(const void* name) {
  Range range;
  void* address = nullptr;
  NEED(cudaGetSymbolAddress(&address, name));
  NEED(cudaGetSymbolSize(&range.bytes, name));
  range.address = reinterpret_cast<CUdeviceptr>(address);
  tell("the driver's range", range_of(range.address));
  return range;
}

/// Returns the range with its size rounded up to a multiple of 16 bytes.
Range rounded(Range range) { return {range.address, (range.bytes + 15) / 16 * 16}; }

/// Returns two variables as one range, in the order of their addresses.
Range both(Range one, Range other) {
  if (one.address > other.address) std::swap(one, other);
  return {one.address, other.address + other.bytes - one.address};
}

/// Returns managed memory, after which plain memory may begin, as one range of twice its size.
Range with_more(Range range) { return {range.address, 2 * range.bytes}; }

/// Returns base and size as the driver reports them, as kjoule would find them.
Range whole_allocation(CUdeviceptr address) {
  Range range;
  NEED(cuMemGetAddressRange(&range.address, &range.bytes, address));
  return range;
}

CUresult legacy_prefetch(const Range& range, CUstream stream) {
  using Prefetch = CUresult (*)(CUdeviceptr, size_t, CUdevice, CUstream);
  void* entry = nullptr;
  CUdriverProcAddressQueryResult found{};
  NEED(cuGetProcAddress("cuMemPrefetchAsync", &entry, 8000, CU_GET_PROC_ADDRESS_DEFAULT, &found));
  return reinterpret_cast<Prefetch>(entry)(range.address, range.bytes, 0, stream);
}

CUresult batch_prefetch(Range range, CUstream stream) {
  CUmemLocation where = gpu();
  size_t index = 0;
  return cuMemPrefetchBatchAsync(&range.address, &range.bytes, 1, &where, &index, 1, 0, stream);
}

void ask(const Range& range) {
  const CUstream stream = own_stream();
  if (range.bytes % sizeof(unsigned) == 0 && range.bytes <= kBytes)
    write_on_host(reinterpret_cast<void*>(range.address), range.bytes, kSeed);
  const CUmemLocation host = location(CU_MEM_LOCATION_TYPE_HOST);
  tell("default stream", name_of(cuMemPrefetchAsync(range.address, range.bytes, gpu(), 0, nullptr)));
  tell("a non-blocking stream", name_of(cuMemPrefetchAsync(range.address, range.bytes, gpu(), 0, stream)));
  tell("with a device number (CUDA 8)", name_of(legacy_prefetch(range, stream)));
  tell("as a batch", name_of(batch_prefetch(range, stream)));
  tell("to the host", name_of(cuMemPrefetchAsync(range.address, range.bytes, host, 0, stream)));
  tell("to the GPU again", name_of(cuMemPrefetchAsync(range.address, range.bytes, gpu(), 0, stream)));
  tell("waiting", name_of(cuStreamSynchronize(stream)));
  tell_read("read", range.address, range.bytes, kSeed);
}

void ask_about(const std::function<Range()>& make) {
  start_probes();
  ask(make());
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  using namespace facts;
  const auto of = [](std::function<Range()> make) { return [make] { ask_about(make); }; };
  const auto host = [] { return location(CU_MEM_LOCATION_TYPE_HOST); };
  const auto numa = [] { return location(CU_MEM_LOCATION_TYPE_HOST_NUMA); };
  return answer(
      count, arguments,
      {{"attached to all", of([] { return managed(CU_MEM_ATTACH_GLOBAL); })},
       {"1000 bytes", of([] { return managed(CU_MEM_ATTACH_GLOBAL, 1000); })},
       {"1000 bytes, rounded up to 1008", of([] { return rounded(managed(CU_MEM_ATTACH_GLOBAL, 1000)); })},
       {"twice the size", of([] { return with_more(managed(CU_MEM_ATTACH_GLOBAL)); })},
       {"__managed__ variable of 12 bytes, rounded up", of([] { return rounded(symbol(small_variable)); })},
       {"two __managed__ variables as one range", of([] { return both(symbol(variable), symbol(small_variable)); })},
       {"attached to the host", of([] { return managed(CU_MEM_ATTACH_HOST); })},
       {"attached to another stream", of([] { return attached(CU_MEM_ATTACH_SINGLE, own_stream()); })},
       {"attached to the host by a stream", of([] { return attached(CU_MEM_ATTACH_HOST, own_stream()); })},
       {"attached to all by a stream", of([] { return attached(CU_MEM_ATTACH_GLOBAL, own_stream()); })},
       {"__managed__ array", of([] { return symbol(variable); })},
       {"__managed__ array, the driver's range", of([] { return whole_allocation(symbol(variable).address); })},
       {"__managed__ variable of 12 bytes", of([] { return symbol(small_variable); })},
       {"preferred location host", of([host] { return advised(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host()); })},
       {"preferred location NUMA node", of([numa] { return advised(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, numa()); })},
       {"preferred location GPU", of([] { return advised(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, gpu()); })},
       {"read mostly", of([] { return advised(CU_MEM_ADVISE_SET_READ_MOSTLY, gpu()); })},
       {"accessed by the GPU", of([] { return advised(CU_MEM_ADVISE_SET_ACCESSED_BY, gpu()); })},
       {"accessed by the host", of([host] { return advised(CU_MEM_ADVISE_SET_ACCESSED_BY, host()); })}});
}
