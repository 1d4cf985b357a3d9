#include "cuda/calls/launch_hashes.hpp"

#include <xxhash.h>

#include <cstddef>
#include <variant>

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

uint64_t hash_shape(const LaunchView& view) {
  if (const auto* kernel = std::get_if<KernelView>(&view.what))
    return hash_kernel_shape(kernel->function, kernel->grid, kernel->block, kernel->shared_bytes);
  if (const auto* copy = std::get_if<CopyCall>(&view.what)) return hash(*copy).shape_hash;
  return hash(std::get<MemsetCall>(view.what)).shape_hash;
}

LaunchHashes hash_launch(const Call& call) {
  return std::visit([](const auto& what) { return hash(what); }, call.what);
}

}  // namespace kjoule::cuda
