#include "memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <new>

#include "entry.hpp"

namespace stand_in {

namespace {

size_t asked_bytes() {
  const char* asked = std::getenv("FAKE_CUDA_MEMORY");
  const size_t bytes = asked == nullptr ? size_t{2} << 30 : std::strtoull(asked, nullptr, 10);
  return bytes / Memory::kSpacing * Memory::kSpacing;
}

size_t rounded(size_t bytes) {
  return (bytes + Memory::kSpacing - 1) / Memory::kSpacing * Memory::kSpacing;
}

}  // namespace

Memory& Memory::device() {
  static auto* memory = new Memory;  // never destroyed: threads may use it until the process ends
  return *memory;
}

Memory::Memory() : total_(asked_bytes()), is_next_fit_(std::getenv("FAKE_CUDA_NEXT_FIT") != nullptr) {
  const bool is_shared = std::getenv("FAKE_CUDA_DEVICE") != nullptr;
  if (is_shared &&
      ((file_ = memfd_create("stand-in", 0)) < 0 || ftruncate(file_, static_cast<off_t>(total_)) != 0))
    throw std::bad_alloc();
  void* base = mmap(nullptr, total_, PROT_READ | PROT_WRITE,
                    MAP_NORESERVE | (is_shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), file_, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = reinterpret_cast<uint64_t>(base);
  gaps_[base_] = total_;
}

std::map<uint64_t, size_t>::iterator Memory::first_gap(size_t bytes, uint64_t from) {
  auto gap = gaps_.lower_bound(from);
  while (gap != gaps_.end() && gap->second < bytes) ++gap;
  return gap;
}

uint64_t Memory::take(size_t bytes) {
  auto gap = gaps_.end();
  if (is_next_fit_) gap = first_gap(bytes, next_);
  if (gap == gaps_.end()) gap = first_gap(bytes, 0);
  if (gap == gaps_.end()) return 0;
  const auto [address, size] = *gap;
  gaps_.erase(gap);
  if (size > bytes) gaps_[address + bytes] = size - bytes;
  next_ = address + bytes;
  return address;
}

void Memory::give_back(uint64_t address, size_t bytes) {
  auto after = gaps_.upper_bound(address);
  // With next-fit allocation, gaps are not joined to the one before: the joined gap would be reused at once,
  // but memory must be reused late.
  if (!is_next_fit_) {
    if (after != gaps_.end() && after->first == address + bytes) {
      bytes += after->second;
      after = gaps_.erase(after);
    }
    if (after != gaps_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == address) {
        before->second += bytes;
        return;
      }
    }
  }
  gaps_[address] = bytes;
}

uint64_t Memory::allocate(size_t bytes, bool managed) {
  const uint64_t address = take(rounded(bytes));
  if (address == 0) return 0;
  blocks_[address] = {rounded(bytes), managed, current_device()};
  used_ += rounded(bytes);
  return address;
}

uint64_t Memory::allocate_for(int device, size_t bytes) {
  const uint64_t address = allocate(bytes, false);
  if (address != 0) blocks_[address] = {rounded(bytes), false, device, true};
  return address;
}

bool Memory::release(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return false;
  const size_t bytes = block->second.bytes;
  used_ -= bytes;
  blocks_.erase(block);
  give_back(address, bytes);
  return true;
}

void Memory::release_all(int device) {
  std::vector<uint64_t> addresses;
  for (const auto& [address, block] : blocks_)
    if (block.device == device) addresses.push_back(address);
  for (const uint64_t address : addresses) release(address);
}

uint64_t Memory::reserve(size_t bytes) {
  const uint64_t address = take(rounded(bytes));
  if (address != 0) reserved_[address] = rounded(bytes);
  return address;
}

bool Memory::end_reservation(uint64_t address, size_t bytes) {
  const auto reservation = reserved_.find(address);
  if (reservation == reserved_.end() || reservation->second != rounded(bytes)) return false;
  reserved_.erase(reservation);
  give_back(address, rounded(bytes));
  return true;
}

bool Memory::map(uint64_t address, size_t bytes) {
  const auto reservation = reserved_.find(address);
  if (reservation == reserved_.end() || reservation->second != bytes) return false;
  reserved_.erase(reservation);
  blocks_[address] = {bytes, false, current_device()};
  used_ += bytes;
  return true;
}

bool Memory::unmap(uint64_t address, size_t bytes) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end() || block->second.bytes != bytes) return false;
  blocks_.erase(block);
  used_ -= bytes;
  reserved_[address] = bytes;
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

void HostMemory::adopt(void* memory, size_t bytes) {
  blocks_[reinterpret_cast<uint64_t>(memory)] = bytes;
}

bool HostMemory::forget(void* memory) {
  return blocks_.erase(reinterpret_cast<uint64_t>(memory)) == 1;
}

bool HostMemory::holds(uint64_t address, size_t bytes) const {
  constexpr uint64_t kUnit = 16;  // a GPU reaches the whole pages in which registered memory lies
  const auto next = blocks_.upper_bound(address | (kUnit - 1));
  if (next == blocks_.begin()) return false;
  const auto& [begin, size] = *std::prev(next);
  return begin / kUnit * kUnit <= address && address + bytes <= (begin + size + kUnit - 1) / kUnit * kUnit;
}

Memory::Range Memory::range_of(uint64_t address) const {
  const auto block = block_of(address);
  return block == blocks_.end() ? Range{} : Range{block->first, block->second.bytes};
}

bool Memory::is_managed(uint64_t address) const {
  const auto block = block_of(address);
  return block != blocks_.end() && block->second.managed;
}

int Memory::device_of(uint64_t address) const {
  const auto block = block_of(address);
  return block == blocks_.end() ? 0 : block->second.device;
}

bool Memory::is_reachable(uint64_t address, int device) const {
  const auto block = block_of(address);
  return block == blocks_.end() || !block->second.is_for_one_device || block->second.device == device;
}

}  // namespace stand_in
