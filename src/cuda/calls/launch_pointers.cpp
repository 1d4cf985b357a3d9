#include "cuda/calls/launch_pointers.hpp"

#include <xxhash.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <variant>

namespace kjoule::cuda {
namespace {

/// Finds the words of a launch's parameters that are addresses in allocations.
class PointerReader {
 public:
  explicit PointerReader(const Allocations& allocations) : allocations_(allocations) {}

  void add_word(uint64_t word) {
    ++position_;
    const Allocation* allocation = allocations_.find(word);
    if (allocation == nullptr) return;
    const uint64_t words[]{word, position_};
    found_.address_hash = XXH3_64bits_withSeed(words, sizeof words, found_.address_hash);
    if (allocation->kind == MemoryKind::host) found_.host.push_back(allocation->address);
  }
  void add_bytes(const std::byte* bytes, size_t size) {
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, sizeof word);
      add_word(word);
    }
  }
  /// Adds one end of a copy. Pinned memory at that end counts only if the replay uses it.
  void add_end(CUdeviceptr address, bool is_replaced) {
    const size_t before = found_.host.size();
    add_word(address);
    if (is_replaced) found_.host.resize(before);
  }
  LaunchPointers take() { return std::move(found_); }

 private:
  const Allocations& allocations_;
  uint64_t position_ = 0;
  LaunchPointers found_;
};

void add(const KernelView& view, const Function& function, PointerReader& reader) {
  if (view.packed != nullptr) return reader.add_bytes(view.packed, view.packed_bytes);
  if (view.arguments == nullptr) return;
  for (size_t i = 0; i < function.sizes.size(); ++i)
    reader.add_bytes(static_cast<const std::byte*>(view.arguments[i]), function.sizes[i]);
}

}  // namespace

LaunchPointers read_pointers(const LaunchView& view, const Allocations& allocations,
                             FunctionTable& functions) {
  PointerReader reader(allocations);
  if (const auto* kernel = std::get_if<KernelView>(&view.what)) {
    const Function& function = *functions.get(kernel->function);
    add(*kernel, function, reader);
    LaunchPointers pointers = reader.take();
    pointers.is_collective = function.collective != Collective::none;
    return pointers;
  }
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) {
    // If one end of a copy may be memory of either kind and is pinned, make_call() replaces it by kjoule's
    // own memory.
    const auto is_pinned = [&](CUmemorytype type, CUdeviceptr address) {
      const Allocation* allocation = type == CU_MEMORYTYPE_UNIFIED ? allocations.find(address) : nullptr;
      return allocation != nullptr && allocation->kind == MemoryKind::host;
    };
    const CUDA_MEMCPY3D& shape = copy->shape;
    const bool replaces_source =
        shape.srcMemoryType == CU_MEMORYTYPE_HOST || is_pinned(shape.srcMemoryType, shape.srcDevice);
    reader.add_end(shape.srcDevice, replaces_source);
    reader.add_end(shape.dstDevice, !replaces_source && is_pinned(shape.dstMemoryType, shape.dstDevice));
  } else {
    reader.add_word(std::get<MemsetCall>(view.what).to);
  }
  return reader.take();
}

std::vector<uint64_t> host_memory_of(const KernelCall& call, const Allocations& allocations) {
  PointerReader reader(allocations);
  reader.add_bytes(call.arguments.data(), call.arguments.size());
  return reader.take().host;
}

}  // namespace kjoule::cuda
