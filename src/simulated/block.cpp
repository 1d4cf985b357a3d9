#include "simulated/block.hpp"

#include <fmt/format.h>

#include <array>

namespace kjoule {
namespace {

using Kind = BlockLaunch::Kind;

Kind draw_kind(Draws& draws) {
  const int share = draws.integer(0, 99);
  if (share < 40) return Kind::gemm;
  if (share < 65) return Kind::elementwise;
  if (share < 80) return Kind::norm;
  if (share < 90) return Kind::reduce;
  return share < 97 ? Kind::copy : Kind::fill;
}

/// Creates a random block, launch by launch. The value that a launch passes to the next has the size of a
/// hidden state or a multiple of it.
class BlockDrawer {
 public:
  BlockDrawer(Draws& draws, const ModelShape& shape, int count)
      : draws_(draws), shape_(shape), count_(count) {}

  std::vector<BlockLaunch> draw() {
    while (position() < count_) append();
    return std::move(block_);
  }

 private:
  int position() const { return static_cast<int>(block_.size()); }

  void append() {
    const bool last = position() + 1 == count_;
    const bool next_to_last = position() + 2 == count_;
    // The last launch adds the layer's input, so the value must have the size of one hidden state again.
    const Kind kind = last ? Kind::elementwise : next_to_last && width_ != 1 ? Kind::gemm : draw_kind(draws_);
    BlockLaunch launch;
    launch.kind = kind;
    launch.inputs = {current_};
    switch (kind) {
      case Kind::gemm:
        gemm(launch, next_to_last);
        break;
      case Kind::norm:
        norm(launch);
        break;
      case Kind::elementwise:
        elementwise(launch, last);
        break;
      case Kind::reduce:
        reduce(launch);
        break;
      case Kind::copy:
        launch.name = "memcpy-dtod", launch.tier = Tier::cuda_runtime;
        break;
      case Kind::fill:
        fill(launch);
        break;
    }
    if (kind != Kind::fill) {
      launch.out_bytes = state_bytes(width_);
      current_ = position();
    }
    widths_.push_back(kind == Kind::fill ? 0 : width_);
    block_.push_back(std::move(launch));
  }

  void gemm(BlockLaunch& launch, bool must_narrow) {
    static constexpr std::array<uint64_t, 4> widths = {1, 1, 3, 4};
    const uint64_t from = width_;
    width_ = from != 1 || must_narrow ? 1 : widths[draws_.integer(0, 3)];
    launch.name = fmt::format("gemm-{}x{}x{}", shape_.tokens, width_ * shape_.hidden, from * shape_.hidden);
    launch.tier = Tier::vendor_library;
    launch.weight_bytes = aligned(from * width_ * shape_.square_weight_bytes());
    launch.flops = static_cast<double>(launch.weight_bytes) * static_cast<double>(shape_.tokens);
  }

  void norm(BlockLaunch& launch) {
    launch.name = "norm-layer";
    launch.weight_bytes = aligned(width_ * shape_.hidden * 4);
    launch.flops = 4 * elements();
  }

  void elementwise(BlockLaunch& launch, bool last) {
    static constexpr std::array names = {"elementwise-gelu", "elementwise-mul", "elementwise-cast"};
    launch.flops = 2 * elements();
    if (last) {
      launch.name = "elementwise-add";
      launch.inputs.push_back(BlockLaunch::block_input);
      return;
    }
    launch.name = names[draws_.integer(0, 2)];
    const int residual = position() - draws_.integer(2, 5);
    if (residual >= 0 && widths_[residual] == width_ && residual != current_) {
      launch.name = "elementwise-add";
      launch.inputs.push_back(residual);
    }
  }

  void reduce(BlockLaunch& launch) {
    launch.name = draws_.chance(0.5) ? "reduce-softmax" : "reduce-mean";
    launch.flops = 8 * elements();
  }

  /// Appends a memset of a small workspace that no other launch reads. The value that is passed on does not
  /// change.
  void fill(BlockLaunch& launch) {
    launch.name = "memset";
    launch.tier = Tier::cuda_runtime;
    launch.inputs.clear();
    launch.out_bytes = memory_alignment * static_cast<uint64_t>(draws_.integer(1, 64));
  }

  uint64_t state_bytes(uint64_t width) const { return aligned(width * shape_.state_bytes()); }
  double elements() const { return static_cast<double>(width_ * shape_.tokens * shape_.hidden); }

  Draws& draws_;
  const ModelShape& shape_;
  int count_;
  uint64_t width_ = 1;
  int current_ = BlockLaunch::block_input;
  std::vector<uint64_t> widths_;  ///< width of each output so far, in hidden states
  std::vector<BlockLaunch> block_;
};

/// Returns the lowest free place for `bytes`: below, between or above the buffers in use.
ByteRange first_fit(const std::vector<ByteRange>& in_use, uint64_t bytes) {
  uint64_t begin = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (const ByteRange& other : in_use) {
      if (begin >= other.end || begin + bytes <= other.begin) continue;
      begin = other.end;
      moved = true;
    }
  }
  return {begin, begin + bytes};
}

void place_outputs(std::vector<BlockLaunch>& block) {
  std::vector<size_t> last_use(block.size());
  for (size_t i = 0; i < block.size(); ++i) {
    last_use[i] = i;
    for (const int input : block[i].inputs)
      if (input >= 0) last_use[input] = i;
  }
  for (size_t i = 0; i + 1 < block.size(); ++i) {
    std::vector<ByteRange> in_use;
    for (size_t j = 0; j < i; ++j)
      if (last_use[j] >= i) in_use.push_back(*block[j].out);
    block[i].out = first_fit(in_use, block[i].out_bytes);
  }
}

}  // namespace

std::vector<BlockLaunch> draw_block(Draws& draws, const ModelShape& shape, int count) {
  std::vector<BlockLaunch> block = BlockDrawer(draws, shape, count).draw();
  place_outputs(block);
  return block;
}

}  // namespace kjoule
