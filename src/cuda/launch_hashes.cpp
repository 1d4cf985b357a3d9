#include "cuda/launch_hashes.hpp"

#include <xxhash.h>

#include <cstddef>
#include <cstring>
#include <variant>
#include <vector>

namespace kjoule::cuda {

uint64_t hash_kernel_shape(CUfunction function, const std::array<unsigned, 3>& grid,
                           const std::array<unsigned, 3>& block, unsigned shared_bytes, uint64_t seed) {
  const struct {
    CUfunction function;
    std::array<unsigned, 3> grid, block;
    unsigned shared_bytes, zero;
  } shape{function, grid, block, shared_bytes, 0};
  return XXH3_64bits_withSeed(&shape, sizeof shape, seed);
}

namespace {

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void add(const void* data, size_t bytes) { XXH3_64bits_update(&state_, data, bytes); }
  template <typename T>
  void add(const T& value) {
    add(&value, sizeof value);
  }
  uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

LaunchHashes hash(const KernelView& view, FunctionTable& functions) {
  const Function& function = *functions.get(view.function);
  uint64_t arguments = 0;
  if (view.packed != nullptr) {
    arguments = XXH3_64bits(view.packed, view.packed_bytes);
  } else if (view.arguments != nullptr) {
    // One hash over all arguments costs less than one hash for each.
    thread_local std::vector<std::byte> packed;
    packed.assign(function.bytes, std::byte{0});
    for (size_t i = 0; i < function.sizes.size(); ++i)
      std::memcpy(packed.data() + function.offsets[i], view.arguments[i], function.sizes[i]);
    arguments = XXH3_64bits(packed.data(), packed.size());
  }
  return {hash_kernel_shape(view.function, view.grid, view.block, view.shared_bytes), arguments};
}

LaunchHashes hash(const CopyCall& copy) {
  Hash shape;
  Hash arguments;
  shape.add(copy.bytes());
  shape.add(copy.shape.Height);
  arguments.add(copy.shape.srcDevice);
  arguments.add(copy.shape.dstDevice);
  return {shape.value(), arguments.value()};
}

LaunchHashes hash(const MemsetCall& set) {
  Hash shape;
  Hash arguments;
  shape.add(set.width);
  shape.add(set.height);
  arguments.add(set.to);
  return {shape.value(), arguments.value()};
}

LaunchHashes hash(const KernelCall& call) {
  return {hash_kernel_shape(call.function->handle, call.grid, call.block, call.shared_bytes),
          XXH3_64bits(call.arguments.data(), call.arguments.size())};
}

}  // namespace

LaunchHashes hash_launch(const LaunchView& view, FunctionTable& functions) {
  if (const auto* kernel = std::get_if<KernelView>(&view.what)) return hash(*kernel, functions);
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) return hash(*copy);
  return hash(std::get<MemsetCall>(view.what));
}

LaunchHashes hash_launch(const Call& call) {
  return std::visit([](const auto& what) { return hash(what); }, call.what);
}

}  // namespace kjoule::cuda
