#include "layers/shipped_networks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/error.hpp"
#include "layers/network_file.hpp"

namespace kjoule {
namespace {

Network network(const std::string& name, const Sizes& sizes = {}) {
  return read_network(shipped_network(name).yaml, name, sizes, "Half");
}

/// Expects that `value`, rounded to the published digits, is `published`. `last_digit` is the value of the
/// last digit.
void expect_published(double value, double published, double last_digit, const std::string& what) {
  EXPECT_NEAR(value, published, 0.5 * last_digit * 1.0001) << what;
}

TEST(Networks, HaveThePublishedParametersAndMultiplyAdds) {
  struct Published {
    const char* name;
    double parameters, parameters_digit, multiply_adds, multiply_adds_digit;
  };
  // torchvision's model cards
  for (const Published& p : std::vector<Published>{{"resnet18", 11689512, 1, 1.81e9, 1e7},
                                                   {"resnet50", 25557032, 1, 4.09e9, 1e7},
                                                   {"mobilenetv3-small", 2542856, 1, 0.06e9, 1e7},
                                                   {"efficientnet-b0", 5288548, 1, 0.39e9, 1e7}}) {
    expect_published(static_cast<double>(network(p.name).parameters()), p.parameters, p.parameters_digit,
                     p.name);
    expect_published(static_cast<double>(network(p.name).multiply_adds()), p.multiply_adds,
                     p.multiply_adds_digit, p.name);
  }
  // The paper truncates its numbers to 79 M and 15.3 G.
  EXPECT_EQ(network("replknet-31b").parameters() / 1'000'000, 79);
  EXPECT_EQ(network("replknet-31b").multiply_adds() / 100'000'000, 153);
  EXPECT_EQ(network("vit-b16").parameters(), 86567656);
  expect_published(static_cast<double>(network("vit-b16", {{"batch", 1}}).multiply_adds()), 17.56e9, 1e7,
                   "vit-b16");
  for (const char* name : {"llama-7b-prefill", "llama-7b-decode"})
    EXPECT_EQ(network(name).parameters(), 6738415616) << name;
  // both phases have the same weights
  EXPECT_EQ(network("opt-66b-prefill").parameters(), network("opt-66b-decode").parameters());
  expect_published(static_cast<double>(network("opt-66b-decode").parameters()), 66e9, 1e9, "opt-66b");
}

TEST(Networks, SizesScaleTheWorkAndNotTheWeights) {
  const Network one = network("resnet50"), many = network("resnet50", {{"batch", 32}});
  EXPECT_EQ(many.multiply_adds(), 32 * one.multiply_adds());
  EXPECT_EQ(many.parameters(), one.parameters());
  const auto attention = [](const Network& all) {
    for (const Layer& layer : all.layers)
      if (layer.kind == "attention") return layer.multiply_adds;
    return int64_t{0};
  };
  EXPECT_EQ(attention(network("opt-66b-decode", {{"kv", 4096}})),
            2 * attention(network("opt-66b-decode", {{"kv", 2048}})));
}

TEST(Networks, WorkIsCountedOnlyWhereItIsDone) {
  const auto layer = [](const std::string& fields) {
    return read_network("name: n\nsizes: {batch: 1}\nlayers:\n  - {name: a, " + fields + "}\n", "n", {},
                        "Half")
        .layers.front();
  };
  const std::string attention = "kind: attention, batch: 2, heads: 3, width: 8, ";
  EXPECT_EQ(layer(attention + "queries: 4, keys: 6").multiply_adds, 2 * 2 * 3 * 8 * 4 * 6);
  EXPECT_EQ(layer(attention + "queries: 4, keys: 6, causal: true").multiply_adds,
            2 * 2 * 3 * 8 * (1 + 2 + 3 + 4));
  EXPECT_EQ(layer(attention + "queries: 4, keys: 2, causal: true").multiply_adds,
            2 * 2 * 3 * 8 * (1 + 2 + 2 + 2));
  // With a stride of 2, a filter of 1 x 1 reads a quarter of the input, and one of 3 x 3 reads all of it.
  const std::string convolution = "kind: conv, C: 16, M: 32, P: 7, Q: 7, HS: 2, WS: 2, ";
  EXPECT_EQ(layer(convolution + "R: 1, S: 1").bytes, 2 * (16 * 7 * 7 + 32 * 16 + 32 * 7 * 7));
  EXPECT_EQ(layer(convolution + "R: 3, S: 3").bytes, 2 * (16 * 14 * 14 + 32 * 16 * 9 + 32 * 7 * 7));
}

TEST(Networks, LayersFeedEachOther) {
  // The output of a convolution is the input of its normalisation.
  const Network resnet = network("resnet18");
  const auto shape = [](const Layer& layer) { return layer.call.arguments.at(0).at("tensor").at("shape"); };
  EXPECT_EQ(shape(resnet.layers[0]), nlohmann::json({1, 3, 224, 224}));
  EXPECT_EQ(shape(resnet.layers[1]), nlohmann::json({1, 64, 112, 112}));
  EXPECT_EQ(shape(resnet.layers[3]), nlohmann::json({1, 64, 112, 112}));
  EXPECT_EQ(shape(resnet.layers[4]), nlohmann::json({1, 64, 56, 56}));
}

TEST(Networks, BlocksThatRepeatRunAsOftenAsCachesAskFor) {
  const Network opt = network("opt-66b-decode");
  std::map<std::string, std::pair<int, int64_t>> norms;
  for (const Layer& layer : opt.layers) {
    norms[layer.name].first += 1;
    norms[layer.name].second += layer.count;
  }
  EXPECT_EQ(norms.at("norm1"), (std::pair<int, int64_t>{2, 64}));
  EXPECT_EQ(norms.at("head"), (std::pair<int, int64_t>{1, 1}));
}

TEST(Networks, UnknownNamesReportTheNearest) {
  try {
    shipped_network("resnet5");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.line().find("resnet50"), std::string::npos) << error.line();
  }
}

std::string error_of(const std::string& yaml) {
  try {
    read_network(yaml, "my.yaml", {}, "Float");
  } catch (const Error& error) {
    return error.line();
  }
  return "";
}

TEST(NetworkFile, ErrorsNameFileLineAndField) {
  const std::string head = "name: n\nsizes: {batch: 2, width: 8}\nlayers:\n";
  const std::map<std::string, std::string> wrong{
      {"  - {name: a, kind: matmul, M: batch, K: width}\n", "my.yaml:4: layer a: the field N is missing"},
      {"  - {name: a, kind: relu, shape: [batch, 3*widht]}\n",
       "my.yaml:4: layer a: shape \"3*widht\" contains widht, which is not the name of a size"},
      {"  - {name: a, kind: relu, shape: [batch]}\n  - {name: b, kind: reluu, shape: [1]}\n",
       "my.yaml:5: layer b: the layer kind reluu"},
      {"  - {name: a, kind: relu, shape: [batch], colour: 3}\n",
       "my.yaml:4: layer a: colour is not a field of kind relu"},
      {"  - {kind: relu, shape: [batch]}\n", "my.yaml:4: this layer has no name"},
      {"  - {name: a, kind: matmul, M: width/3, K: 1, N: 1}\n", "divides 8 by 3"},
      {"  - {name: a, kind: relu, shape: 7}\n", "shape is not a list of sizes"},
      {"  - {name: a, kind: relu, shape: [batch, 0]}\n",
       "shape contains the size 0; give sizes of at least 1"},
      {"  - {name: a, kind: matmul, M: batch, K: 0, N: 1}\n", "K is 0, but must be at least 1"},
      {"  - {name: a, kind: operator, operator: aten::relu, arguments: [{tensor: [-2]}]}\n",
       "the value of tensor is not a list of sizes of at least 0"},
      {"  - {name: a, kind: operator, operator: aten::relu, arguments: [{tensor: [2], dtype: Colour}]}\n",
       "dtype \"Colour\" is not a type of tensors"},
      {"  - repeat: 3\n", "my.yaml:4: this block with \"repeat\" has no \"layers"},
      {"  - repeat: 1000000\n    layers: [{name: a, kind: relu, shape: [1]}]\n", "more than 100000 layers"},
      {"  - repeat: 2\n    colour: 3\n    layers: [{name: a, kind: relu, shape: [1]}]\n",
       "my.yaml:5: colour: this field is not known"},
      {"  - repeat: batch-2\n    layers: [{name: a, kind: relu, shape: [1]}]\n",
       "my.yaml:4: repeat is 0, but must be at least 1"},
      {"  - {name: a, kind: relu, shape: [1], shape: [2]}\n", "my.yaml:4: shape is given twice"},
      {"  - {name: a, kind: relu, shape: [1]}\n  - {name: a, kind: gelu, shape: [1]}\n",
       "my.yaml:5: layer a: calls other work (aten::gelu) than the layer of the same name in line 4 "
       "(aten::relu)"},
      {"  - [1, 2\n", "my.yaml:"},
      {"", "layers\" is not a list with at least one layer"}};
  for (const auto& [layers, text] : wrong) {
    EXPECT_NE(error_of(head + layers).find(text), std::string::npos) << layers << error_of(head + layers);
    EXPECT_NE(error_of(head + layers).find("; "), std::string::npos)
        << "a remedy: " << error_of(head + layers);
  }
  const std::string layers =
      "layers: [{name: a, kind: relu, shape: [1]}, {name: a, kind: relu, shape: [1]}]\n";
  EXPECT_EQ(error_of("name: n\n" + layers), "") << "the same work may have the same name";
  EXPECT_NE(error_of("name: n\nabuot: x\n" + layers)
                .find("my.yaml:2: abuot: this field is not known; did you mean about"),
            std::string::npos);
  EXPECT_NE(error_of("name: n\nname: m\n" + layers).find("my.yaml:2: name is given twice"),
            std::string::npos);
  EXPECT_NE(error_of("name: n\nsizes: {a: 1,\n  a: 2}\n" + layers).find("my.yaml:3: a is given twice"),
            std::string::npos);
  EXPECT_NE(error_of("name: n\nsizes: {a: 0}\n" + layers).find("my.yaml:2: size a: 0 is less than 1"),
            std::string::npos);
  EXPECT_NE(error_of("").find("not a map"), std::string::npos);
  EXPECT_NE(error_of("name: n\n").find("has no layers"), std::string::npos);
  EXPECT_THROW(read_network(head + "  - {name: a, kind: relu, shape: [1]}\n", "f", {{"tokens", 3}}, "Float"),
               Error);
}

TEST(NetworkFile, WhatDescribesATensorHasKnownFieldsOnce) {
  const auto error = [](const std::string& arguments) {
    return error_of("name: n\nlayers:\n  - {name: a, kind: operator, operator: aten::no, arguments: " +
                    arguments + "}\n");
  };
  const std::string place = "my.yaml:3: layer a: arguments: ";
  EXPECT_EQ(error("[{tensor: [8], dtype: Long, previous: true}, [{tensor: [8]}]]"), "");
  EXPECT_EQ(error("[{tensor: [8], dtyp: Long}]"),
            place + "dtyp: this field is not known; did you mean dtype, tensor, previous?");
  EXPECT_EQ(error("[[{tensro: [8]}]]"),
            place + "tensro: this field is not known; did you mean tensor, dtype, previous?");
  EXPECT_EQ(error("[{tensor: [8], tensor: [9]}]"), place + "tensor is given twice; delete one of them");
  EXPECT_EQ(error("[{dtype: Long}]"),
            place +
                "an entry in braces lacks the key tensor with a list of sizes; write {tensor: [2, 3]}, or "
                "{tensor: [2, 3], dtype: Long}");
  EXPECT_EQ(error("[{tensor: [8]}, {tensor: [8], previous: true}]"),
            place + "previous is possible for the first argument only; omit it for the others");
}

TEST(NetworkFile, TakesAnyOperator) {
  const Network made = read_network(R"(
name: own
sizes: {batch: 2}
layers:
  - repeat: batch
    layers:
      - {name: flip, kind: operator, operator: aten::flip, arguments: [{tensor: [batch, 3]}, [-1]], parameters: 5}
  - {name: look, kind: operator, operator: aten::gather, arguments: [{tensor: [4]}, 0, {tensor: [2], dtype: Long}, false], multiply_adds: 7}
  - {name: clamp, kind: operator, operator: aten::clamp, arguments: [{tensor: [4]}, 0.5, null]}
  - {name: cat, kind: operator, operator: aten::cat, arguments: [[{tensor: [4]}, {tensor: [batch]}], 0]}
)",
                                    "own.yaml", {}, "Float");
  ASSERT_EQ(made.layers.size(), 5U);
  EXPECT_EQ(
      made.layers[1].call.arguments,
      nlohmann::json::parse(R"([{"tensor": {"dtype": "Float", "shape": [2, 3], "strides": [3, 1]}}, [-1]])"));
  EXPECT_EQ(made.parameters(), 10);
  EXPECT_EQ(made.multiply_adds(), 7);
  EXPECT_EQ(made.layers[2].call.arguments[2]["tensor"]["dtype"], "Long");
  EXPECT_EQ(made.layers[3].call.arguments[1], nlohmann::json::parse(R"({"double": "0.5"})"));
  EXPECT_EQ(made.layers[4].call.arguments[0][1]["tensor"]["shape"], nlohmann::json{2}) << "in lists, too";
  EXPECT_TRUE(made.layers[0].same_work(made.layers[1]));
  EXPECT_FALSE(made.layers[0].same_work(made.layers[2]));
}

TEST(Expression, ComputesWithSizes) {
  const Sizes sizes{{"batch", 4}, {"kv_len", 100}};
  EXPECT_EQ(evaluate("12", sizes), 12);
  EXPECT_EQ(evaluate("batch*kv_len", sizes), 400);
  EXPECT_EQ(evaluate(" (kv_len + 1) * 2 - batch / 2", sizes), 200);
  for (const char* wrong : {"", "batch*", "(1", "2)", "1-2", "9007199254740993", "9000000000*9000000000",
                            "7/2", "1/0", "3x", "$"})
    EXPECT_THROW(evaluate(wrong, sizes), Error) << wrong;
  EXPECT_THROW(evaluate(std::string(100000, '('), sizes), Error);
}

}  // namespace
}  // namespace kjoule
