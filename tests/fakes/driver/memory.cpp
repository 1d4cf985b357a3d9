#include "memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <iterator>
#include <new>

namespace stand_in {

namespace {

constexpr size_t kSpacing = 512;

size_t asked_bytes() {
  const char* asked = std::getenv("FAKE_CUDA_MEMORY");
  const size_t bytes = asked == nullptr ? size_t{2} << 30 : std::strtoull(asked, nullptr, 10);
  return bytes / kSpacing * kSpacing;
}

}  // namespace

Memory& Memory::device() {
  static auto* memory = new Memory;  // never destroyed: threads may use it until the very end
  return *memory;
}

Memory::Memory() : total_(asked_bytes()) {
  void* base =
      mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  gaps_[reinterpret_cast<uint64_t>(base)] = total_;
}

uint64_t Memory::allocate(size_t bytes, bool managed) {
  const size_t rounded = (bytes + kSpacing - 1) / kSpacing * kSpacing;
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->second < rounded) continue;
    const auto [address, size] = *gap;
    gaps_.erase(gap);
    if (size > rounded) gaps_[address + rounded] = size - rounded;
    blocks_[address] = {rounded, managed};
    used_ += rounded;
    return address;
  }
  return 0;
}

bool Memory::release(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return false;
  size_t bytes = block->second.bytes;
  used_ -= bytes;
  blocks_.erase(block);
  auto after = gaps_.upper_bound(address);
  if (after != gaps_.end() && after->first == address + bytes) {
    bytes += after->second;
    after = gaps_.erase(after);
  }
  if (after != gaps_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += bytes;
      return true;
    }
  }
  gaps_[address] = bytes;
  return true;
}

std::map<uint64_t, Memory::Block>::const_iterator Memory::block_of(uint64_t address) const {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return blocks_.end();
  --next;
  return address < next->first + next->second.bytes ? next : blocks_.end();
}

bool Memory::holds(uint64_t address, size_t bytes) const {
  for (const uint64_t end = address + bytes; address < end;) {
    const auto block = block_of(address);
    if (block == blocks_.end()) return false;
    address = block->first + block->second.bytes;
  }
  return true;
}

HostMemory& HostMemory::mapped() {
  static auto* memory = new HostMemory;
  return *memory;
}

void* HostMemory::allocate(size_t bytes) {
  void* memory = std::calloc(1, bytes);
  if (memory != nullptr) blocks_[reinterpret_cast<uint64_t>(memory)] = bytes;
  return memory;
}

void HostMemory::release(void* memory) {
  blocks_.erase(reinterpret_cast<uint64_t>(memory));
  std::free(memory);
}

bool HostMemory::holds(uint64_t address, size_t bytes) const {
  const auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return false;
  const auto& [begin, size] = *std::prev(next);
  return address + bytes <= begin + size;
}

bool Memory::is_managed(uint64_t address) const {
  const auto block = block_of(address);
  return block != blocks_.end() && block->second.managed;
}

}  // namespace stand_in
