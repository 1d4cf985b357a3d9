// Does memory of a pool stay readable and writable after cuMemFreeAsync, and does it keep its contents?
#include <cstdint>

#include "facts.hpp"
#include "probes.hpp"

namespace facts {

namespace {

/// The time at which the release threshold of the pool is raised from its default value of 0.
enum class Raised { never, before_the_allocation, before_the_free };

struct Pool {
  const char* name;
  bool own;
  Raised raised;
};

constexpr Pool kPools[] = {{"default pool, threshold max", false, Raised::before_the_allocation},
                           {"default pool, threshold untouched", false, Raised::never},
                           {"default pool, threshold raised before the free", false, Raised::before_the_free},
                           {"own pool, threshold max", true, Raised::before_the_allocation},
                           {"own pool, threshold untouched", true, Raised::never}};
constexpr size_t kSizes[] = {4 << 10, 1 << 20, 64 << 20};
constexpr unsigned kSeed = 7;

CUmemoryPool pool_of(bool own) {
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  if (own)
    NEED(cuMemPoolCreate(&pool, &properties));
  else
    NEED(cuDeviceGetDefaultMemPool(&pool, 0));
  return pool;
}

void set_threshold(CUmemoryPool pool, cuuint64_t bytes) {
  NEED(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes));
}

void tell_attribute(const std::string& what, CUmemoryPool pool, CUmemPool_attribute attribute) {
  cuuint64_t value = 0;
  NEED(cuMemPoolGetAttribute(pool, attribute, &value));
  tell(what, std::to_string(value));
}

CUdeviceptr allocate(CUmemoryPool pool, bool own, size_t bytes, CUstream stream) {
  CUdeviceptr memory = 0;
  if (own)
    NEED(cuMemAllocFromPoolAsync(&memory, bytes, pool, stream));
  else
    NEED(cuMemAllocAsync(&memory, bytes, stream));
  NEED(cuStreamSynchronize(stream));
  return memory;
}

void free_and_wait(CUdeviceptr memory, CUstream stream) {
  NEED(cuMemFreeAsync(memory, stream));
  NEED(cuStreamSynchronize(stream));
  NEED(cuCtxSynchronize());
}

void look_at_freed(const Pool& way, size_t bytes) {
  start_probes();
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUmemoryPool pool = pool_of(way.own);
  if (way.raised == Raised::before_the_allocation) set_threshold(pool, UINT64_MAX);
  if (way.raised == Raised::before_the_free) set_threshold(pool, 0);
  tell_attribute("threshold at the allocation", pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  const CUdeviceptr memory = allocate(pool, way.own, bytes, stream);
  tell_write("write before the free", memory, bytes, kSeed);
  if (way.raised == Raised::before_the_free) set_threshold(pool, UINT64_MAX);
  free_and_wait(memory, stream);
  tell_attribute("reserved bytes of the pool after the free", pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  tell_attribute("used bytes of the pool after the free", pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  tell_read("read after the free", memory, bytes, kSeed);
  tell_write("write after the free", memory, bytes, kSeed + 1);
  tell_read("read of what was written", memory, bytes, kSeed + 1);
  const CUdeviceptr next = allocate(pool, way.own, bytes, stream);
  tell("next allocation of the size", next == memory ? "the same address" : "another address");
  tell_read("read of the next allocation", next, bytes, kSeed + 1);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Pool& way : kPools)
    for (const size_t bytes : kSizes)
      all.push_back({std::string(way.name) + ", " + size_name(bytes), [=] { look_at_freed(way, bytes); }});
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
