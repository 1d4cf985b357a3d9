#include "cuda/calls/used_memory.hpp"

#include <cstring>
#include <variant>

namespace kjoule::cuda {

namespace {

/// Addresses from which on a word in a structure is taken for a pointer.
constexpr uint64_t kLeastInStructure = uint64_t{1} << 40;

bool is_device_memory(uint64_t address, const Allocations& allocations) {
  const Allocation* found = allocations.find(address);
  return found != nullptr && found->kind != MemoryKind::host;
}

/// Returns whether a word from `least` on in `bytes` bytes of arguments is an address in `allocations`.
bool has_address(const std::byte* arguments, size_t bytes, uint64_t least, const Allocations& allocations) {
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, arguments + at, sizeof word);
    if (word >= least && is_device_memory(word, allocations)) return true;
  }
  return false;
}

bool uses(const CopyCall& copy, const Allocations& memory) {
  const CUDA_MEMCPY3D& shape = copy.shape;
  return (shape.srcMemoryType != CU_MEMORYTYPE_HOST && is_device_memory(shape.srcDevice, memory)) ||
         (shape.dstMemoryType != CU_MEMORYTYPE_HOST && is_device_memory(shape.dstDevice, memory));
}

bool uses(const MemsetCall& set, const Allocations& memory) {
  return is_device_memory(set.to, memory);
}

bool uses(const KernelCall& kernel, const Allocations& memory) {
  const Function& function = *kernel.function;
  if (function.collective != Collective::none) return false;
  for (size_t i = 0; i < function.offsets.size(); ++i) {
    const size_t offset = function.offsets[i], bytes = function.sizes[i];
    if (offset + bytes > kernel.arguments.size()) continue;
    const uint64_t least = bytes == sizeof(uint64_t) ? 0 : kLeastInStructure;
    if (has_address(kernel.arguments.data() + offset, bytes, least, memory)) return true;
  }
  return false;
}

}  // namespace

bool uses_memory(const Call& call, const Allocations& allocations) {
  return std::visit([&](const auto& what) { return uses(what, allocations); }, call.what);
}

}  // namespace kjoule::cuda
