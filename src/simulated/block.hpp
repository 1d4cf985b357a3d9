#pragma once
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "simulated/cache.hpp"
#include "simulated/random.hpp"

namespace kjoule {

/// A launch of the block that every layer repeats, sizes and data flow but no addresses.
struct BlockLaunch {
  enum class Kind { norm, gemm, elementwise, reduce, copy, fill };
  Kind kind = Kind::elementwise;
  std::string name;
  Tier tier = Tier::framework;
  uint64_t weight_bytes = 0;
  uint64_t out_bytes = 0;
  std::vector<int> inputs;  ///< launches of the block whose outputs it reads; block_input: the layer's input
  double flops = 0;
  std::optional<ByteRange> out;  ///< where in the layers' scratch memory; none: the layer's output

  static constexpr int block_input = -1;
};

/// What a model's sizes follow from.
struct ModelShape {
  uint64_t tokens = 0;
  uint64_t hidden = 0;
  uint64_t state_bytes() const { return tokens * hidden * 2; }
  uint64_t square_weight_bytes() const { return hidden * hidden * 2; }
};

/// Addresses are given out in steps of this many bytes.
constexpr uint64_t memory_alignment = 512;
constexpr uint64_t aligned(uint64_t bytes) {
  return (bytes + memory_alignment - 1) / memory_alignment * memory_alignment;
}

/// A block of `count` launches that takes and returns one hidden state. Outputs share scratch memory from
/// address 0 on as a caching allocator would place them, so that buffers of different sizes overlap over
/// time.
std::vector<BlockLaunch> draw_block(Draws& draws, const ModelShape& shape, int count);

}  // namespace kjoule
