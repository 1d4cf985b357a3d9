#include "layers/layer_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/numbers/checked_count.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;
using Shape = std::vector<int64_t>;

constexpr const char* kTensorForm = "write {tensor: [2, 3]}, or {tensor: [2, 3], dtype: Long}";

/// Makes a layer from its fields. All tensors are dense, with a contiguous last dimension.
class LayerMaker {
 public:
  LayerMaker(const LayerFields& fields, const std::string& dtype) : fields_(fields), dtype_(dtype) {}

  Layer conv() const {
    const int64_t n = batch(), c = of("C"), m = of("M"), g = fields_.whole_if_given("G").value_or(1);
    const int64_t p = of("P"), q = of("Q"), r = of("R"), s = of("S"), hs = of("HS"), ws = of("WS");
    const int64_t inputs = checked_product({c, g}), outputs = checked_product({m, g});
    const int64_t pad_h = padding(r, hs), pad_w = padding(s, ws);
    const int64_t h = input_size(p, r, hs), w = input_size(q, s, ws);
    Layer layer = calling("aten::convolution",
                          {first({n, inputs, h, w}),
                           tensor({outputs, c, r, s}),
                           bias(outputs),
                           {hs, ws},
                           {pad_h, pad_w},
                           {1, 1},
                           false,
                           {0, 0},
                           g},
                          {n, outputs, p, q});
    layer.parameters = checked_sum({checked_product({outputs, c, r, s}), fields_.flag("bias") ? outputs : 0});
    layer.multiply_adds = checked_product({n, outputs, p, q, c, r, s});
    // If the filter is smaller than the stride, some rows and columns of the input are not read.
    const int64_t read = (hs > r ? p * r : h) * (ws > s ? q * s : w);
    layer.bytes -= bytes_of_one({n, c * g, h * w - read});
    return layer;
  }

  Layer matmul() const {
    const int64_t m = of("M"), k = of("K"), n = of("N");
    Layer layer = calling("aten::linear", {first({m, k}), tensor({n, k}), bias(n)}, {m, n});
    layer.parameters = checked_sum({checked_product({n, k}), fields_.flag("bias") ? n : 0});
    layer.multiply_adds = checked_product({m, k, n});
    return layer;
  }

  Layer attention() const {
    const int64_t b = of("batch"), heads = of("heads"), queries = of("queries"), keys = of("keys"),
                  d = of("width");
    const Json kept = tensor({b, heads, keys, d});
    Layer layer = calling("aten::scaled_dot_product_attention",
                          {first({b, heads, queries, d}), kept, kept, nullptr, Json{{"double", "0"}},
                           fields_.flag("causal"), nullptr, false},
                          {b, heads, queries, d});
    const int64_t pairs =
        fields_.flag("causal") ? causal_pairs(queries, keys) : checked_product({queries, keys});
    layer.multiply_adds = checked_product({2, b, heads, pairs, d});
    return layer;
  }

  Layer batch_norm() const {
    const int64_t c = of("C");
    const Shape shape{batch(), c, of("P"), of("Q")};
    const Json one = tensor({c});
    Layer layer = calling(
        "aten::batch_norm",
        {first(shape), one, one, one, one, false, Json{{"double", "0.1"}}, Json{{"double", "1e-05"}}, true},
        shape);
    layer.parameters = checked_product({2, c});
    return layer;
  }

  Layer layer_norm() const {
    const int64_t width = of("width");
    const Shape shape{of("rows"), width};
    Layer layer = calling("aten::layer_norm",
                          {first(shape), Json::array({width}), tensor({width}), tensor({width}),
                           Json{{"double", "1e-05"}}, true},
                          shape);
    layer.parameters = checked_product({2, width});
    return layer;
  }

  Layer rms_norm() const {
    const int64_t width = of("width");
    const Shape shape{of("rows"), width};
    Layer layer =
        calling("aten::rms_norm",
                {first(shape), Json::array({width}), tensor({width}), Json{{"double", "1e-05"}}}, shape);
    layer.parameters = width;
    return layer;
  }

  Layer softmax() const {
    const Shape shape{of("rows"), of("width")};
    return calling("aten::softmax.int", {first(shape), -1, nullptr}, shape);
  }

  Layer pool(const std::string& op) const {
    const int64_t n = batch(), c = of("C"), p = of("P"), q = of("Q"), r = of("R"), s = of("S"), hs = of("HS"),
                  ws = of("WS");
    const int64_t pad_h = padding(r, hs), pad_w = padding(s, ws);
    const Shape input{n, c, input_size(p, r, hs), input_size(q, s, ws)};
    Json arguments{first(input), {r, s}, {hs, ws}, {pad_h, pad_w}};
    if (op == "aten::max_pool2d") arguments.push_back({1, 1});
    arguments.push_back(false);
    return calling(op, std::move(arguments), {n, c, p, q});
  }

  Layer global_pool() const {
    const int64_t n = batch(), c = of("C");
    return calling("aten::adaptive_avg_pool2d", {first({n, c, of("P"), of("Q")}), {1, 1}}, {n, c, 1, 1});
  }

  Layer embedding() const {
    const int64_t vocab = of("vocab"), width = of("width"), tokens = of("tokens");
    Json indices = tensor({tokens});
    indices["tensor"]["dtype"] = "Long";
    Layer layer =
        calling("aten::embedding", {tensor({vocab, width}), indices, -1, false, false}, {tokens, width});
    layer.parameters = checked_product({vocab, width});
    // Bytes of the rows that are looked up, and of the indexes.
    layer.bytes = bytes_of_one({tokens, width}) * 2 + 8 * tokens;
    return layer;
  }

  Layer elementwise(const std::string& op, Json more = {}) const {
    const Shape shape = fields_.shape("shape");
    Json arguments = Json::array({first(shape)});
    for (Json& one : more) arguments.push_back(std::move(one));
    return calling(op, std::move(arguments), shape);
  }

  Layer of_two(const std::string& op, Json more = {}) const {
    const Shape shape = fields_.shape("shape");
    Json arguments{first(shape), tensor(fields_.shape_if_given("other").value_or(shape))};
    for (Json& one : more) arguments.push_back(std::move(one));
    return calling(op, std::move(arguments), shape);
  }

  Layer cat() const {
    const std::vector<Shape> shapes = fields_.shapes("shapes");
    const int64_t axis = fields_.whole("axis");
    Json parts = Json::array();
    Shape all;
    for (const Shape& shape : shapes) {
      if (axis >= static_cast<int64_t>(shape.size()))
        throw Error("axis is not smaller than the number of dimensions of each shape",
                    fmt::format("choose an axis from 0 to {}", std::ssize(shape) - 1));
      parts.push_back(tensor(shape));
      if (all.empty())
        all = shape;
      else
        all[static_cast<size_t>(axis)] =
            checked_sum({all[static_cast<size_t>(axis)], shape[static_cast<size_t>(axis)]});
    }
    return calling("aten::cat", {parts, axis}, all);
  }

  Layer any_operator() const {
    Json arguments = fields_.value("arguments");
    if (!arguments.is_array())
      throw Error("the field arguments is not a list", "write arguments: [FIRST, SECOND, ..]");
    for (size_t i = 0; i < arguments.size(); ++i) complete(arguments[i], i == 0);
    Layer layer = calling(fields_.text("operator"), std::move(arguments), {0});
    layer.multiply_adds = fields_.whole_if_given("multiply_adds").value_or(0);
    layer.bytes = fields_.whole_if_given("bytes").value_or(layer.bytes);
    return layer;
  }

 private:
  /// Returns the value of a field that is a size. Throws Error if it is below 1.
  int64_t of(const std::string& field) const {
    const int64_t size = fields_.whole(field);
    if (size < 1) throw Error(fmt::format("{} is {}, but must be at least 1", field, size), "correct it");
    return size;
  }
  int64_t batch() const { return fields_.whole_if_given("N") ? of("N") : of("batch"); }
  static int64_t padding(int64_t window, int64_t stride) { return window > stride ? (window - 1) / 2 : 0; }

  /// Returns the number of pairs of a query and a key that is not after it.
  static int64_t causal_pairs(int64_t queries, int64_t keys) {
    const int64_t growing = std::min(queries, keys);
    return checked_sum(
        {checked_product({growing, growing + 1}) / 2, checked_product({queries - growing, keys})});
  }

  /// Returns the input size that gives `outputs` outputs: stride x outputs if it does (as for images),
  /// otherwise the smallest such size.
  static int64_t input_size(int64_t outputs, int64_t window, int64_t stride) {
    const int64_t all = checked_product({outputs, stride});
    const int64_t room = all + 2 * padding(window, stride) - window;
    if (room >= 0 && room / stride + 1 == outputs) return all;
    return all - stride + window - 2 * padding(window, stride);
  }

  Json tensor(const Shape& shape) const {
    Json strides = Json::array();
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0; stride = checked_product({stride, shape[i]}))
      strides.insert(strides.begin(), stride);
    return {{"tensor", {{"dtype", dtype_}, {"shape", shape}, {"strides", strides}}}};
  }
  /// Returns the description of a layer's first argument: the output of the previous layer if that has this
  /// shape, otherwise a new tensor.
  Json first(const Shape& shape) const {
    Json json = tensor(shape);
    json["tensor"]["previous"] = true;
    return json;
  }
  Json bias(int64_t width) const { return fields_.flag("bias") ? tensor({width}) : Json(); }

  /// Completes the description of a tensor. It has the form {tensor: [2, 3]}, {tensor: [2, 3], dtype: Long}
  /// or, for the first argument only, {tensor: [2, 3], previous: true}. Descriptions in lists are completed,
  /// too.
  void complete(Json& argument, bool first) const {
    if (argument.is_array())
      for (Json& one : argument) complete(one, false);
    if (!argument.is_object() || argument.contains("double")) return;
    if (!argument.contains("tensor"))
      throw Error("arguments: an entry in braces lacks the key tensor with a list of sizes", kTensorForm);
    const Json dtype = argument.value("dtype", Json(dtype_)), given = argument.value("previous", Json(false));
    if (!given.is_boolean())
      throw Error("arguments: previous is neither true nor false", "write previous: true, or omit it");
    const bool previous = given.get<bool>();
    if (previous && !first)
      throw Error("arguments: previous is possible for the first argument only", "omit it for the others");
    const Json& sizes = argument.at("tensor");
    const auto is_size = [](const Json& size) { return size.is_number_integer() && size >= 0; };
    if (!sizes.is_array() || !std::ranges::all_of(sizes, is_size))
      throw Error("arguments: the value of tensor is not a list of sizes of at least 0", kTensorForm);
    if (!dtype.is_string() || !tensor_element_bytes(dtype.get<std::string>()))
      throw Error(fmt::format("arguments: dtype {} is not a type of tensors", dump_json(dtype)),
                  "use Float, Half, BFloat16, Double, Long, Int or Bool");
    argument = tensor(sizes.get<Shape>());
    if (previous) argument["tensor"]["previous"] = true;
    argument["tensor"]["dtype"] = dtype;
  }

  int64_t bytes_of_one(const Shape& shape) const {
    return bytes_of(OperatorCall{"", Json::array({tensor(shape)})});
  }
  Layer calling(const std::string& op, Json arguments, const Shape& output) const {
    Layer layer;
    layer.call = {op, std::move(arguments)};
    layer.bytes = bytes_of(layer.call) + bytes_of_one(output);
    return layer;
  }

  const LayerFields& fields_;
  const std::string& dtype_;
};

using Make = std::function<Layer(const LayerMaker&)>;

const std::map<std::string, Make>& kinds() {
  static const std::map<std::string, Make> all{
      {"conv", [](const LayerMaker& m) { return m.conv(); }},
      {"matmul", [](const LayerMaker& m) { return m.matmul(); }},
      {"attention", [](const LayerMaker& m) { return m.attention(); }},
      {"batch_norm", [](const LayerMaker& m) { return m.batch_norm(); }},
      {"layer_norm", [](const LayerMaker& m) { return m.layer_norm(); }},
      {"rms_norm", [](const LayerMaker& m) { return m.rms_norm(); }},
      {"softmax", [](const LayerMaker& m) { return m.softmax(); }},
      {"max_pool", [](const LayerMaker& m) { return m.pool("aten::max_pool2d"); }},
      {"avg_pool", [](const LayerMaker& m) { return m.pool("aten::avg_pool2d"); }},
      {"global_pool", [](const LayerMaker& m) { return m.global_pool(); }},
      {"embedding", [](const LayerMaker& m) { return m.embedding(); }},
      {"relu", [](const LayerMaker& m) { return m.elementwise("aten::relu"); }},
      {"gelu", [](const LayerMaker& m) { return m.elementwise("aten::gelu", {"none"}); }},
      {"silu", [](const LayerMaker& m) { return m.elementwise("aten::silu"); }},
      {"sigmoid", [](const LayerMaker& m) { return m.elementwise("aten::sigmoid"); }},
      {"hardswish", [](const LayerMaker& m) { return m.elementwise("aten::hardswish"); }},
      {"hardsigmoid", [](const LayerMaker& m) { return m.elementwise("aten::hardsigmoid"); }},
      {"neg", [](const LayerMaker& m) { return m.elementwise("aten::neg"); }},
      {"add", [](const LayerMaker& m) { return m.of_two("aten::add.Tensor", Json::array({1})); }},
      {"mul", [](const LayerMaker& m) { return m.of_two("aten::mul.Tensor"); }},
      {"cat", [](const LayerMaker& m) { return m.cat(); }},
      {"operator", [](const LayerMaker& m) { return m.any_operator(); }}};
  return all;
}

}  // namespace

Layer make_layer(const std::string& kind, const LayerFields& fields, const std::string& dtype) {
  const auto make = kinds().find(kind);
  if (make == kinds().end())
    throw Error(fmt::format("the layer kind {} is not known", kind),
                fmt::format("the known kinds are {}", fmt::join(layer_kinds(), ", ")));
  Layer layer = make->second(LayerMaker(fields, dtype));
  layer.kind = kind;
  layer.parameters = fields.whole_if_given("parameters").value_or(layer.parameters);
  return layer;
}

std::vector<std::string> layer_kinds() {
  std::vector<std::string> names;
  for (const auto& [name, make] : kinds()) names.push_back(name);
  return names;
}

int64_t Network::parameters() const {
  return std::accumulate(layers.begin(), layers.end(), int64_t{0}, [](int64_t sum, const Layer& layer) {
    return checked_sum({sum, checked_product({layer.count, layer.parameters})});
  });
}

int64_t Network::multiply_adds() const {
  return std::accumulate(layers.begin(), layers.end(), int64_t{0}, [](int64_t sum, const Layer& layer) {
    return checked_sum({sum, checked_product({layer.count, layer.multiply_adds})});
  });
}

}  // namespace kjoule
