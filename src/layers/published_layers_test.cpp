// Compares the layers of the bundled networks with the tables in which their authors published them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "layers/network_file.hpp"
#include "layers/shipped_networks.hpp"

namespace kjoule {
namespace {

/// The number of equal layers in the network, by their description.
using Layers = std::map<std::string, int64_t>;
using Shape = std::vector<int64_t>;

Shape shape_of(const Layer& layer, size_t argument) {
  return layer.call.arguments.at(argument).at("tensor").at("shape").get<Shape>();
}

std::string conv(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t groups, int64_t size) {
  return fmt::format("conv {} -> {}, window {}, stride {}, groups {}, output {}", in, out, window, stride,
                     groups, size);
}
std::string product(int64_t rows, int64_t in, int64_t out) {
  return fmt::format("product of {} rows, {} -> {}", rows, in, out);
}
std::string attention(int64_t heads, int64_t queries, int64_t keys, int64_t width) {
  return fmt::format("attention of {} heads, {} queries, {} keys, width {}", heads, queries, keys, width);
}
std::string embedding(int64_t rows, int64_t width) {
  return fmt::format("embedding of {} x {}", rows, width);
}

/// Returns the description of a layer: convolutions, products, attention and embeddings with their sizes as
/// the operator is called, other layers by their kind.
std::string description(const Layer& layer) {
  if (layer.kind == "conv") {
    const Shape input = shape_of(layer, 0), weight = shape_of(layer, 1);
    const auto stride = layer.call.arguments.at(3).at(0).get<int64_t>();
    const auto pad = layer.call.arguments.at(4).at(0).get<int64_t>();
    const auto groups = layer.call.arguments.at(8).get<int64_t>();
    EXPECT_EQ(weight[1] * groups, input[1]) << layer.name;
    const int64_t size = (input[2] + 2 * pad - weight[2]) / stride + 1;
    return conv(input[1], weight[0], weight[2], stride, groups, size);
  }
  if (layer.kind == "matmul")
    return product(shape_of(layer, 0)[0], shape_of(layer, 0)[1], shape_of(layer, 1)[0]);
  if (layer.kind == "attention") {
    const Shape queries = shape_of(layer, 0);
    return attention(queries[1], queries[2], shape_of(layer, 1)[2], queries[3]);
  }
  if (layer.kind == "embedding") return embedding(shape_of(layer, 0)[0], shape_of(layer, 0)[1]);
  return layer.kind;
}

Layers layers_of(const std::string& name, const Sizes& sizes = {{"batch", 1}}) {
  Layers layers;
  for (const Layer& layer : read_network(shipped_network(name).yaml, name, sizes, "Half").layers)
    layers[description(layer)] += layer.count;
  return layers;
}

/// A convolution and its normalisation.
void add_conv_norm(Layers& layers, const std::string& convolution) {
  ++layers[convolution];
  ++layers["batch_norm"];
}

/// Convolutions that squeeze the mean of all channels, and the scaling of the channels (squeeze-and-excite).
void add_excitation(Layers& layers, int64_t channels, int64_t squeezed, const std::string& activation,
                    const std::string& gate) {
  ++layers[conv(channels, squeezed, 1, 1, 1, 1)];
  ++layers[conv(squeezed, channels, 1, 1, 1, 1)];
  for (const std::string& kind : {std::string("global_pool"), activation, gate, std::string("mul")})
    ++layers[kind];
}

/// He et al. 2016, table 1: four stages of `blocks` with these widths. The bottleneck's stride is in its 3 x
/// 3 convolution, as in torchvision.
Layers resnet(const std::vector<int64_t>& blocks, bool bottleneck) {
  Layers layers{{"max_pool", 1}, {"global_pool", 1}, {"relu", 1}};
  add_conv_norm(layers, conv(3, 64, 7, 2, 1, 112));
  int64_t in = 64, size = 56;
  for (size_t stage = 0; stage < blocks.size(); ++stage) {
    const int64_t width = int64_t{64} << stage, out = bottleneck ? 4 * width : width;
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1, before = size;
      size /= stride;
      if (bottleneck) {
        add_conv_norm(layers, conv(in, width, 1, 1, 1, before));
        add_conv_norm(layers, conv(width, width, 3, stride, 1, size));
        add_conv_norm(layers, conv(width, out, 1, 1, 1, size));
      } else {
        add_conv_norm(layers, conv(in, width, 3, stride, 1, size));
        add_conv_norm(layers, conv(width, width, 3, 1, 1, size));
      }
      if (in != out) add_conv_norm(layers, conv(in, out, 1, stride, 1, size));
      layers["relu"] += bottleneck ? 3 : 2;
      ++layers["add"];
      in = out;
    }
  }
  ++layers[product(1, in, 1000)];
  return layers;
}

TEST(PublishedLayers, OfResNet) {
  EXPECT_EQ(layers_of("resnet18"), resnet({2, 2, 2, 2}, false));
  EXPECT_EQ(layers_of("resnet50"), resnet({3, 4, 6, 3}, true));
}

/// A block of MobileNetV3 and EfficientNet, with the squeezed width of its excitation; 0 if it has none.
struct MobileBlock {
  int64_t window, expanded, out, stride, squeezed;
  std::string activation;
};

void add_mobile_block(Layers& layers, const MobileBlock& block, const std::string& squeeze,
                      const std::string& gate, int64_t& in, int64_t& size) {
  if (block.expanded != in) {
    add_conv_norm(layers, conv(in, block.expanded, 1, 1, 1, size));
    ++layers[block.activation];
  }
  size /= block.stride;
  add_conv_norm(layers,
                conv(block.expanded, block.expanded, block.window, block.stride, block.expanded, size));
  ++layers[block.activation];
  if (block.squeezed > 0) add_excitation(layers, block.expanded, block.squeezed, squeeze, gate);
  add_conv_norm(layers, conv(block.expanded, block.out, 1, 1, 1, size));
  if (block.stride == 1 && block.out == in) ++layers["add"];
  in = block.out;
}

// Howard et al. 2019, table 2; the excitation has a quarter of the expanded width, in multiples of 8
TEST(PublishedLayers, OfMobileNetV3Small) {
  Layers layers{{"hardswish", 3}, {"global_pool", 1}};
  add_conv_norm(layers, conv(3, 16, 3, 2, 1, 112));
  int64_t in = 16, size = 112;
  for (const MobileBlock& block : std::vector<MobileBlock>{{3, 16, 16, 2, 8, "relu"},
                                                           {3, 72, 24, 2, 0, "relu"},
                                                           {3, 88, 24, 1, 0, "relu"},
                                                           {5, 96, 40, 2, 24, "hardswish"},
                                                           {5, 240, 40, 1, 64, "hardswish"},
                                                           {5, 240, 40, 1, 64, "hardswish"},
                                                           {5, 120, 48, 1, 32, "hardswish"},
                                                           {5, 144, 48, 1, 40, "hardswish"},
                                                           {5, 288, 96, 2, 72, "hardswish"},
                                                           {5, 576, 96, 1, 144, "hardswish"},
                                                           {5, 576, 96, 1, 144, "hardswish"}})
    add_mobile_block(layers, block, "relu", "hardsigmoid", in, size);
  add_conv_norm(layers, conv(96, 576, 1, 1, 1, 7));
  ++layers[product(1, 576, 1024)];
  ++layers[product(1, 1024, 1000)];
  EXPECT_EQ(layers_of("mobilenetv3-small"), layers);
}

// Tan and Le 2019, table 1; the excitation has a quarter of the block's input width
TEST(PublishedLayers, OfEfficientNetB0) {
  struct Stage {
    int64_t expansion, window, stride, out, blocks;
  };
  Layers layers{{"silu", 2}, {"global_pool", 1}};
  add_conv_norm(layers, conv(3, 32, 3, 2, 1, 112));
  int64_t in = 32, size = 112;
  for (const Stage& stage : std::vector<Stage>{{1, 3, 1, 16, 1},
                                               {6, 3, 2, 24, 2},
                                               {6, 5, 2, 40, 2},
                                               {6, 3, 2, 80, 3},
                                               {6, 5, 1, 112, 3},
                                               {6, 5, 2, 192, 4},
                                               {6, 3, 1, 320, 1}})
    for (int64_t block = 0; block < stage.blocks; ++block)
      add_mobile_block(
          layers,
          {stage.window, stage.expansion * in, stage.out, block == 0 ? stage.stride : 1, in / 4, "silu"},
          "silu", "sigmoid", in, size);
  add_conv_norm(layers, conv(320, 1280, 1, 1, 1, 7));
  ++layers[product(1, 1280, 1000)];
  EXPECT_EQ(layers_of("efficientnet-b0"), layers);
}

// Ding et al. 2022, section 4.1: blocks, widths and windows of RepLKNet-31B; each block is followed by a
// feed-forward block of four times its width
TEST(PublishedLayers, OfRepLKNet31B) {
  struct Stage {
    int64_t blocks, width, window, size;
  };
  Layers layers{{"relu", 4}, {"batch_norm", 1}, {"global_pool", 1}};
  add_conv_norm(layers, conv(3, 128, 3, 2, 1, 112));
  add_conv_norm(layers, conv(128, 128, 3, 1, 128, 112));
  add_conv_norm(layers, conv(128, 128, 1, 1, 1, 112));
  add_conv_norm(layers, conv(128, 128, 3, 2, 128, 56));
  int64_t in = 128;
  for (const auto& [blocks, width, window, size] :
       std::vector<Stage>{{2, 128, 31, 56}, {2, 256, 29, 28}, {18, 512, 27, 14}, {2, 1024, 13, 7}}) {
    if (width != in) {
      add_conv_norm(layers, conv(in, width, 1, 1, 1, 2 * size));
      add_conv_norm(layers, conv(width, width, 3, 2, width, size));
      layers["relu"] += 2;
    }
    layers[conv(width, width, 1, 1, 1, size)] += 2 * blocks;
    layers[conv(width, width, window, 1, width, size)] += blocks;
    layers[conv(width, 4 * width, 1, 1, 1, size)] += blocks;
    layers[conv(4 * width, width, 1, 1, 1, size)] += blocks;
    layers["batch_norm"] += 6 * blocks;
    layers["relu"] += 2 * blocks;
    layers["gelu"] += blocks;
    layers["add"] += 2 * blocks;
    in = width;
  }
  ++layers[product(1, 1024, 1000)];
  EXPECT_EQ(layers_of("replknet-31b"), layers);
}

// Dosovitskiy et al. 2021, table 1: 12 layers, width 768, feed-forward width 3072, 12 heads, patches of 16 x
// 16
TEST(PublishedLayers, OfViTB16) {
  const int64_t tokens = 14 * 14 + 1;
  EXPECT_EQ(layers_of("vit-b16"), (Layers{{conv(3, 768, 16, 16, 1, 14), 1},
                                          {"cat", 1},
                                          {"add", 1 + 12 * 2},
                                          {"layer_norm", 12 * 2 + 1},
                                          {product(tokens, 768, 768), 12 * 4},
                                          {attention(12, tokens, tokens, 64), 12},
                                          {product(tokens, 768, 3072), 12},
                                          {"gelu", 12},
                                          {product(tokens, 3072, 768), 12},
                                          {product(1, 768, 1000), 1}}));
}

// Zhang et al. 2022, table 1: 64 layers, 72 heads, width 9216; vocabulary and positions as in its published
// configuration
TEST(PublishedLayers, OfOpt66B) {
  const auto opt = [](int64_t rows, int64_t queries, int64_t keys) {
    return Layers{{embedding(50272, 9216), 1},
                  {embedding(2050, 9216), 1},
                  {"add", 1 + 64 * 2},
                  {"layer_norm", 64 * 2 + 1},
                  {product(rows, 9216, 3 * 9216), 64},
                  {attention(72, queries, keys, 128), 64},
                  {product(rows, 9216, 9216), 64},
                  {product(rows, 9216, 36864), 64},
                  {"relu", 64},
                  {product(rows, 36864, 9216), 64},
                  {product(1, 9216, 50272), 1}};
  };
  EXPECT_EQ(layers_of("opt-66b-prefill"), opt(2048, 2048, 2048));
  EXPECT_EQ(layers_of("opt-66b-decode"), opt(1, 1, 2048));
}

// Touvron et al. 2023, table 2: 32 layers, 32 heads, width 4096; feed-forward width as in its published
// configuration
TEST(PublishedLayers, OfLlama7B) {
  Layers layers = layers_of("llama-7b-prefill");
  std::erase_if(layers, [](const auto& one) {
    return one.first == "cat" || one.first == "neg" || one.first == "mul" || one.first == "add";
  });
  EXPECT_EQ(layers, (Layers{{embedding(32000, 4096), 1},
                            {"rms_norm", 32 * 2 + 1},
                            {product(2048, 4096, 4096), 32 * 4},
                            {attention(32, 2048, 2048, 128), 32},
                            {product(2048, 4096, 11008), 32 * 2},
                            {"silu", 32},
                            {product(2048, 11008, 4096), 32},
                            {product(1, 4096, 32000), 1}}));
}

}  // namespace
}  // namespace kjoule
