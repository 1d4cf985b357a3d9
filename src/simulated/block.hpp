#pragma once
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "simulated/cache.hpp"
#include "simulated/random.hpp"

namespace kjoule {

/// A launch of the block that every layer repeats, with its sizes and inputs, but without addresses.
struct BlockLaunch {
  enum class Kind { norm, gemm, elementwise, reduce, copy, fill };
  Kind kind = Kind::elementwise;
  std::string name;
  Tier tier = Tier::framework;
  uint64_t weight_bytes = 0;
  uint64_t out_bytes = 0;
  /// Launches of the block whose outputs this launch reads; `block_input` is the layer's input.
  std::vector<int> inputs;
  double flops = 0;
  /// Place of the output in the scratch memory of the layers; nothing if the output is the layer's output.
  std::optional<ByteRange> out;

  static constexpr int block_input = -1;
};

/// The sizes of a model, from which the sizes of its launches follow.
struct ModelShape {
  uint64_t tokens = 0;
  uint64_t hidden = 0;
  uint64_t state_bytes() const { return tokens * hidden * 2; }
  uint64_t square_weight_bytes() const { return hidden * hidden * 2; }
};

/// Alignment of addresses, in bytes.
constexpr uint64_t memory_alignment = 512;
constexpr uint64_t aligned(uint64_t bytes) {
  return (bytes + memory_alignment - 1) / memory_alignment * memory_alignment;
}

/// Returns a random block of `count` launches, which reads one hidden state and writes one. Outputs share
/// scratch memory from address 0 on. They are placed as by a caching allocator, so that buffers of different
/// sizes use the same addresses at different times.
std::vector<BlockLaunch> draw_block(Draws& draws, const ModelShape& shape, int count);

}  // namespace kjoule
