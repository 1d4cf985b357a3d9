// Unmaps memory within a reservation: what is accessible there afterwards, and what can be mapped there
// again?
#include "facts.hpp"
#include "mapped_memory.hpp"
#include "probes.hpp"

namespace facts {

namespace {

constexpr size_t kChunk = 2 << 20;
constexpr unsigned kSeed = 13;

/// A reservation with two chunks that contain a pattern.
struct Segment {
  CUdeviceptr first;
  CUdeviceptr second;
  CUmemGenericAllocationHandle second_memory;
};

Segment written_segment() {
  start_probes();
  tell("granularity", size_name(mapping_granularity()));
  Segment segment{};
  NEED(cuMemAddressReserve(&segment.first, 2 * kChunk, 0, 0, 0));
  segment.second = segment.first + kChunk;
  mapped_memory(segment.first, kChunk);
  segment.second_memory = mapped_memory(segment.second, kChunk);
  tell_write("write of both chunks", segment.first, 2 * kChunk, kSeed);
  return segment;
}

void unmap_second(const Segment& segment) {
  const CUresult result = cuMemUnmap(segment.second, kChunk);
  tell("cuMemUnmap of the second chunk", name_of(result));
  tell_read("read of the first chunk", segment.first, kChunk, kSeed);
}

void map_another() {
  const Segment segment = written_segment();
  unmap_second(segment);
  NEED(cuMemRelease(segment.second_memory));
  mapped_memory(segment.second, kChunk);
  tell("mapping another handle there", "works");
  tell_read("read of the new chunk, for a pattern that was not written there", segment.second, kChunk,
            kSeed + 1);
  tell_write("write of both chunks", segment.first, 2 * kChunk, kSeed + 1);
  tell_read("read of both chunks", segment.first, 2 * kChunk, kSeed + 1);
}

void map_the_same() {
  const Segment segment = written_segment();
  tell_write("write of the second chunk", segment.second, kChunk, kSeed + 1);
  unmap_second(segment);
  map_memory(segment.second, kChunk, segment.second_memory);
  tell("mapping the same handle there", "works");
  tell_read("read of the second chunk", segment.second, kChunk, kSeed + 1);
}

void read_unmapped() {
  const Segment segment = written_segment();
  unmap_second(segment);
  tell_read("read of the second chunk, which is unmapped", segment.second, kChunk, kSeed);
}

}  // namespace

}  // namespace facts

int main(int count, char** arguments) {
  return facts::answer(count, arguments,
                       {{"another handle", facts::map_another},
                        {"the same handle", facts::map_the_same},
                        {"unmapped", facts::read_unmapped}});
}
