// After cuMemFree: is the address free for another mapping, does the driver return it again, and is it
// readable?
#include "facts.hpp"
#include "mapped_memory.hpp"
#include "probes.hpp"

namespace facts {

namespace {

constexpr size_t kMiB = 1 << 20;
constexpr size_t kSizes[] = {256, 64 << 10, kMiB, 2 * kMiB, 3 * kMiB, 64 * kMiB, 1024 * kMiB};
constexpr int kRepetitions = 5;
constexpr unsigned kSeed = 11;

CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr memory = 0;
  NEED(cuMemAlloc(&memory, bytes));
  return memory;
}

/// Returns the address of memory that was allocated, written and freed. It is either the only allocation of
/// the case, or the second of four, the others of which stay allocated.
CUdeviceptr freed_memory(size_t bytes, bool among_others) {
  start_probes();
  if (among_others) allocate(bytes);
  const CUdeviceptr memory = allocate(bytes);
  if (among_others) {
    allocate(bytes);
    allocate(bytes);
  }
  tell("address", hexadecimal(memory));
  launch_write(memory, bytes, kSeed);
  NEED(cuCtxSynchronize());
  NEED(cuMemFree(memory));
  return memory;
}

std::string compared(CUdeviceptr address, CUdeviceptr with) {
  return address == with ? "the same address" : "another address: " + hexadecimal(address);
}

void read_it(size_t bytes, bool among_others) {
  const CUdeviceptr freed = freed_memory(bytes, among_others);
  tell("range of the freed address", range_of(freed));
  tell_read("read after the free", freed, bytes, kSeed);
}

/// Reserves the pages around the freed memory, maps new memory there, uses it, and releases all of it.
void map_at(CUdeviceptr freed, size_t bytes) {
  const size_t page = mapping_granularity();
  const CUdeviceptr first = freed / page * page;
  const size_t size = (freed + bytes + page - 1) / page * page - first;
  tell("granularity",
       size_name(page) + ", the address is " + std::to_string(freed - first) + " bytes into it");
  CUdeviceptr reserved = 0;
  const CUresult result = cuMemAddressReserve(&reserved, size, 0, first, 0);
  tell("cuMemAddressReserve there", result == CUDA_SUCCESS ? compared(reserved, first) : name_of(result));
  if (result != CUDA_SUCCESS) return;
  if (reserved == first) {
    const CUmemGenericAllocationHandle memory = mapped_memory(first, size);
    tell_write("write at the freed address", freed, bytes, kSeed + 1);
    tell_read("read at the freed address", freed, bytes, kSeed + 1);
    NEED(cuMemUnmap(first, size));
    NEED(cuMemRelease(memory));
  }
  NEED(cuMemAddressFree(reserved, size));
}

void take_it_again(size_t bytes, bool among_others) {
  const CUdeviceptr freed = freed_memory(bytes, among_others);
  const CUdeviceptr second = allocate(bytes);
  tell("next cuMemAlloc of the size", compared(second, freed));
  NEED(cuMemFree(second));
  map_at(freed, bytes);
  tell("cuMemAlloc after that, against the one before", compared(allocate(bytes), second));
}

using Addresses = std::vector<CUdeviceptr>;

/// Allocates 1 MiB, frees it, allocates 4 MiB and frees it.
Addresses one_after_the_other() {
  Addresses addresses;
  for (const size_t bytes : {kMiB, 4 * kMiB}) {
    addresses.push_back(allocate(bytes));
    NEED(cuMemFree(addresses.back()));
  }
  return addresses;
}

/// Allocates three blocks of 5 MiB and frees them in the order of the letters.
Addresses three_at_once(const std::string& order) {
  Addresses addresses;
  for (int i = 0; i < 3; ++i) addresses.push_back(allocate(5 * kMiB));
  for (const char letter : order) NEED(cuMemFree(addresses[letter - 'A']));
  return addresses;
}

void repeat(const std::function<Addresses()>& sequence) {
  start_probes();
  Addresses first;
  for (int i = 0; i < kRepetitions; ++i) {
    const Addresses addresses = sequence();
    if (i == 0) first = addresses;
    std::string text;
    for (const CUdeviceptr address : addresses) text += (text.empty() ? "" : " ") + hexadecimal(address);
    tell("repetition " + std::to_string(i + 1), i > 0 && addresses == first ? "as the first" : text);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool among : {false, true})
    for (const size_t bytes : kSizes) {
      const std::string name = size_name(bytes) + (among ? " among 3 others" : " alone");
      all.push_back({name + ", taken again", [=] { take_it_again(bytes, among); }});
      all.push_back({name + ", read after the free", [=] { read_it(bytes, among); }});
    }
  all.push_back({"sequence of 1 MiB and 4 MiB, one after the other", [] { repeat(one_after_the_other); }});
  for (const std::string order : {"ABC", "CBA", "BAC"})
    all.push_back({"sequence of 3 x 5 MiB, freed in the order " + order,
                   [=] { repeat([&] { return three_at_once(order); }); }});
  return all;
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments, facts::cases());
}
