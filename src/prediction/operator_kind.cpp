#include "prediction/operator_kind.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/text/expression.hpp"

namespace kjoule {

namespace {

using Shape = std::vector<double>;

/// Returns the integer quotient of two whole numbers.
double part(double a, double b) {
  return std::floor(a / b);
}

OperatorWork product(double m, double k, double n) {
  return {{m, k, n}, 2 * m * k * n, {m * k, k * n, m * n}, k * n};
}

/// Returns the work with additional parameters.
OperatorWork with_parameters(OperatorWork work, double more) {
  work.parameters += more;
  return work;
}

/// Returns the number of attention heads on one rank, in all sequences. The shape is mp, b, h, l, dim.
double heads_of_rank(const Shape& s) {
  return s[1] * part(s[2], s[0]);
}
double head_size(const Shape& s) {
  return part(s[4], s[2]);
}

OperatorWork embedding(const Shape& s) {
  const double tokens = s[1] * s[2], vocabulary = vocabulary_part(s[0]);
  return {{tokens, vocabulary, s[3]}, 0, {tokens * s[3], vocabulary * s[3]}, vocabulary * s[3]};
}
OperatorWork of_rows(const Shape& s) {
  return {{s[0], s[1], s[2]}, 0, {s[0] * s[1] * s[2], s[0] * s[1]}};
}
OperatorWork layer_norm(const Shape& s) {
  return with_parameters(of_rows(s), 2 * s[2]);
}
OperatorWork rms_norm(const Shape& s) {
  return with_parameters(of_rows(s), s[2]);
}
OperatorWork linear(const Shape& s) {
  return product(s[0], s[1], s[2]);
}
OperatorWork linear1(const Shape& s) {
  const double outputs = part(3 * s[3], s[0]);
  return with_parameters(product(s[2] * s[1], s[3], outputs), outputs);
}
OperatorWork linear2(const Shape& s) {
  return product(s[2] * s[1], part(s[3], s[0]), s[3]);
}
OperatorWork linear3(const Shape& s) {
  return product(s[2] * s[1], s[3], part(4 * s[3], s[0]));
}
OperatorWork linear4(const Shape& s) {
  return product(s[2] * s[1], part(4 * s[3], s[0]), s[3]);
}
OperatorWork linear_final(const Shape& s) {
  return product(s[2] * s[1], s[3], vocabulary_part(s[0]));
}
OperatorWork rope(const Shape& s) {
  const double heads = part(s[2], s[0]), size = head_size(s);
  return {{s[1], s[3], heads, size}, 0, {s[1] * s[3] * heads * size}};
}
OperatorWork flash(const Shape& s) {
  const double heads = part(s[2], s[0]), size = head_size(s), pairs = s[1] * heads * s[3] * s[3];
  return {{s[1], s[3], heads, size}, 4 * pairs * size, {s[1] * s[3] * heads * size, pairs}};
}
/// Causal attention: half of all pairs of tokens, because a token attends only to itself and earlier tokens.
OperatorWork causal_flash(const Shape& s) {
  OperatorWork work = flash(s);
  work.flops /= 2;
  work.streams[1] /= 2;
  return work;
}
/// Attention with grouped queries; the shape is mp, b, h, kv, l, dim: h query heads, kv key and value heads.
OperatorWork grouped_query(const Shape& s) {
  const double heads = part(s[2], s[0]), kept = part(s[3], s[0]), size = part(s[5], s[2]);
  const double pairs = s[1] * heads * s[4] * s[4] / 2, tokens = s[1] * s[4];
  return {{s[1], s[4], heads, kept, size},
          4 * pairs * size,
          {tokens * heads * size, tokens * kept * size, pairs}};
}
/// A batched product over heads. The features are batch, rows, inner size and columns.
OperatorWork scores(const Shape& s) {
  const double heads = heads_of_rank(s), size = head_size(s), pairs = heads * s[3] * s[3];
  return {{heads, s[3], size, s[3]}, 2 * pairs * size, {heads * s[3] * size, pairs}};
}
OperatorWork mixing(const Shape& s) {
  OperatorWork work = scores(s);
  std::swap(work.features[2], work.features[3]);
  return work;
}
OperatorWork fill_mask(const Shape& s) {
  return {{s[1], part(s[2], s[0]), s[3], s[4]}, 0, {heads_of_rank(s) * s[3] * s[3]}};
}
OperatorWork softmax(const Shape& s) {
  const double rows = heads_of_rank(s) * s[3];
  return {{s[1], part(s[2], s[0]), s[3], s[3]}, 0, {rows * s[3], rows}};
}
OperatorWork masked_softmax(const Shape& s) {
  const double heads = part(s[1] * s[2], s[0]), rows = heads * s[3];
  return {{heads, s[3], s[3]}, 0, {rows * s[3], rows}};
}
OperatorWork gelu(const Shape& s) {
  const double width = part(4 * s[3], s[0]);
  return {{s[1], s[2], width}, 0, {s[1] * s[2] * width}};
}
OperatorWork swiglu(const Shape& s) {
  const double width = part(s[3], s[0]);
  return {{s[1], s[2], width}, 0, {s[1] * s[2] * width}};
}
OperatorWork cross_entropy(const Shape& s) {
  const double vocabulary = vocabulary_part(s[0]);
  return {{s[1], s[2], vocabulary}, 0, {s[1] * s[2] * vocabulary, s[1] * s[2]}};
}
OperatorWork middle_stage(const Shape& s) {
  const double layers = s[2] * layer_parameters(s[0], s[1]);
  return {s, 0, {layers, s[2]}, layers};
}
/// The optimizer of the first or last stage, which also has a table of `entries` words.
OperatorWork end_stage(const Shape& s, double entries) {
  OperatorWork work = with_parameters(middle_stage(s), entries * s[1]);
  work.streams.push_back(entries * s[1]);
  return work;
}
OperatorWork first_stage(const Shape& s) {
  return end_stage(s, vocabulary_part(s[0]));
}
/// The optimizer of the last stage as it was sampled: its final linear has the rank's part of the vocabulary,
/// divided by mp again.
OperatorWork last_stage(const Shape& s) {
  return end_stage(s, part(vocabulary_part(s[0]), s[0]));
}
/// The optimizer of a whole model; the shape is layers, hidden size, tensors, parameters.
OperatorWork whole_optimizer(const Shape& s) {
  return {s, 0, {s[3], s[2]}};
}
/// A mixture of experts; the shape is mp, b, l, dim, experts, ffn, top k. If ffn is 0, the width is four
/// times dim, rounded up to a multiple of 256.
OperatorWork mixture(const Shape& s) {
  const double width = s[5] > 0 ? s[5] : 256 * std::ceil(4 * s[3] / 256);
  const double experts = part(s[4], s[0]), tokens = s[1] * s[2], routed = tokens * s[6] / s[0];
  return {{tokens, s[3], experts, width, s[6]},
          4 * routed * s[3] * width,
          {routed * s[3], routed * width, 2 * experts * s[3] * width}};
}
/// A collective; the shape is the number of elements of the message, nodes, GPUs per node. A ring sends
/// (ranks - 1) / ranks of the message over each link. The slowest link determines the time: if there are
/// several nodes, a link between nodes.
OperatorWork collective(const Shape& s) {
  const double ranks = s[1] * s[2], sent = s[0] * (ranks - 1) / ranks;
  return {s, 0, s[1] > 1 ? Shape{0, sent, s[1]} : Shape{sent, 0, s[1]}};
}
/// Returns the work of an unknown operator with these features.
OperatorWork product_of(const Shape& features) {
  return {features, 0, {std::accumulate(features.begin(), features.end(), 1.0, std::multiplies<>())}};
}

std::vector<OperatorKind> make_operator_kinds() {
  const std::vector<std::string> tokens{"mp", "b", "l", "dim"}, attention{"mp", "b", "h", "l", "dim"},
      rows{"b", "l", "dim"}, weights{"mp", "b", "h", "l"}, stage{"mp", "dim", "encoders"}, mkn{"m", "k", "n"},
      heads{"b", "l", "heads", "head_size"}, batched{"batch", "m", "k", "n"}, square{"b", "heads", "l", "l"},
      whole{"num_layers", "hidden_size", "param_tensors", "params"};
  return {{"embedding", tokens, {"tokens", "vocabulary", "dim"}, embedding},
          {"layernorm", rows, rows, layer_norm},
          {"RMSlayernorm", rows, rows, rms_norm},
          {"linear", {"rows", "inputs", "outputs"}, mkn, linear},
          {"linear1", tokens, mkn, linear1},
          {"linear2", tokens, mkn, linear2},
          {"linear3", tokens, mkn, linear3},
          {"linear4", tokens, mkn, linear4},
          {"linear_final", tokens, mkn, linear_final},
          {"RoPE", attention, heads, rope},
          {"flash_atten", attention, heads, flash},
          {"flash_atten_causal", attention, heads, causal_flash},
          {"grouped_query_atten",
           {"mp", "b", "h", "kv", "l", "dim"},
           {"b", "l", "heads", "kv_heads", "head_size"},
           grouped_query},
          {"baddbmm", attention, batched, scores},
          {"bmm", attention, batched, mixing},
          {"fillmask", attention, {"b", "heads", "l", "dim"}, fill_mask},
          {"softmax", weights, square, softmax},
          {"ScaledUpperTriangMaskedSoftmax", weights, {"heads", "l", "l"}, masked_softmax},
          {"gelu", tokens, {"b", "l", "width"}, gelu},
          {"swiglu", {"mp", "b", "l", "ffn"}, {"b", "l", "width"}, swiglu},
          {"res_add", rows, rows, of_rows},
          {"parallel_cross_entropy_128", {"mp", "b", "l"}, {"b", "l", "vocabulary"}, cross_entropy},
          {"firstStage_optimizer", stage, stage, first_stage},
          {"middleStage_optimizer", stage, stage, middle_stage},
          {"lastStage_optimizer", stage, stage, last_stage},
          {"optimizer", whole, whole, whole_optimizer},
          {"moe",
           {"mp", "b", "l", "dim", "moe_num_experts", "intermediate_size", "top_k"},
           {"tokens", "dim", "experts", "ffn", "top_k"},
           mixture}};
}

/// Returns the value of a column, or 0 if the operator has no such column.
double size_of(const OperatorKind& kind, const Shape& shape, const char* column) {
  const auto found = std::find(kind.columns.begin(), kind.columns.end(), column);
  return found == kind.columns.end() ? 0.0 : shape[static_cast<size_t>(found - kind.columns.begin())];
}

void check_divides(const OperatorKind& kind, const Shape& shape, const char* divisor, const char* whole) {
  const double by = size_of(kind, shape, divisor), size = size_of(kind, shape, whole);
  if (by > 0 && size > 0 && std::fmod(size, by) != 0)
    throw Error(fmt::format("{}: {} {} cannot be divided by {} {}", kind.name, whole, size, divisor, by),
                fmt::format("give a multiple of {} for {}", by, whole));
}

}  // namespace

double OperatorWork::elements() const {
  return std::accumulate(streams.begin(), streams.end(), 0.0);
}

double OperatorWork::amount() const {
  return flops > 0 ? flops : elements();
}

const std::vector<OperatorKind>& operator_kinds() {
  static const std::vector<OperatorKind> all = make_operator_kinds();
  return all;
}

const OperatorKind* find_operator_kind(const std::string& name) {
  const auto& all = operator_kinds();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& kind) { return kind.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<std::string>& collective_columns() {
  static const std::vector<std::string> columns{"shape", "nodes", "GPUsPerNode"};
  return columns;
}

std::pair<int, int> topology_of(const std::vector<double>& shape) {
  constexpr double kMost = 1e9;
  return {static_cast<int>(std::min(shape[1], kMost)), static_cast<int>(std::min(shape[2], kMost))};
}

OperatorKind make_operator_kind(const std::string& name, const std::vector<std::string>& columns) {
  const OperatorKind* known = find_operator_kind(name);
  if (columns == collective_columns()) return {name, columns, columns, collective};
  return known && known->columns == columns ? *known : OperatorKind{name, columns, columns, product_of};
}

OperatorKind make_operator_kind(const std::string& name, const std::vector<std::string>& columns,
                                const std::vector<std::string>& formulas) {
  constexpr size_t kMost = 8;
  if (find_operator_kind(name) != nullptr)
    throw Error("kjoule knows the features of " + name + " itself",
                "omit the formulas, or give the operator another name");
  if (formulas.empty() || formulas.size() > kMost)
    throw Error(fmt::format("{} has {} features", name, formulas.size()),
                fmt::format("give 1 to {} formulas", kMost));
  const auto features = [columns, formulas](const Shape& shape) {
    RealSizes sizes;
    for (size_t c = 0; c < columns.size(); ++c) sizes[columns[c]] = shape[c];
    Shape values;
    for (const std::string& formula : formulas) values.push_back(evaluate_real(formula, sizes));
    return product_of(values);
  };
  features(Shape(columns.size(), 1));  // throws Error if a text is not a formula
  return {name, columns, formulas, features};
}

void check_features(const OperatorKind& kind, const std::vector<double>& shape) {
  constexpr double kMost = 1e30;
  if (find_operator_kind(kind.name) != nullptr || kind.columns == collective_columns()) return;
  const OperatorWork work = kind.work(shape);
  for (size_t f = 0; f < kind.features.size(); ++f)
    if (!(work.features[f] > 0 && work.features[f] <= kMost))
      throw Error(fmt::format("{}: the feature {} is {:g} for {} {}", kind.name, kind.features[f],
                              work.features[f], fmt::join(kind.columns, " "), fmt::join(shape, " ")),
                  "change the formula, so that all values are above 0 and at most 1e30");
}

void check_shape(const OperatorKind& kind, const std::vector<double>& shape) {
  if (shape.size() != kind.columns.size())
    throw Error(
        fmt::format("{} takes {} numbers, but was given {}", kind.name, kind.columns.size(), shape.size()),
        fmt::format("give the numbers {}", fmt::join(kind.columns, " ")));
  for (size_t c = 0; c < shape.size(); ++c) {
    const bool may_be_none = kind.columns[c] == "intermediate_size";
    if (!(shape[c] >= (may_be_none ? 0 : 1)) || shape[c] != std::floor(shape[c]) || shape[c] > 1e15)
      throw Error(fmt::format("{}: {} {} is not a whole number from 1", kind.name, kind.columns[c], shape[c]),
                  fmt::format("give whole numbers for {}", fmt::join(kind.columns, " ")));
  }
  check_features(kind, shape);
  if (!find_operator_kind(kind.name)) return;
  check_divides(kind, shape, "mp", "h");
  check_divides(kind, shape, "mp", "kv");
  check_divides(kind, shape, "kv", "h");
  check_divides(kind, shape, "mp", "ffn");
  check_divides(kind, shape, "h", "dim");
  if (kind.name != "linear_final" && kind.name != "embedding") check_divides(kind, shape, "mp", "dim");
  const double heads = size_of(kind, shape, "h"), top_k = size_of(kind, shape, "top_k");
  if (kind.name == "RoPE" && std::fmod(size_of(kind, shape, "dim") / heads, 2) != 0)
    throw Error("RoPE: the width of a head (dim / h) is odd", "give a dim that is a multiple of 2 h");
  if (top_k > size_of(kind, shape, "moe_num_experts"))
    throw Error(fmt::format("{}: each token is sent to {} experts (top_k), but there are only {}", kind.name,
                            top_k, size_of(kind, shape, "moe_num_experts")),
                "give a smaller top_k");
}

double vocabulary_part(double mp) {
  return 128 * std::ceil(50257 / (128 * mp));
}

double layer_parameters(double mp, double dim) {
  return 4 * dim + part(3 * dim * (dim + 1), mp) + part(dim * (dim + 1), mp) + part(4 * dim * (dim + 1), mp) +
         part(dim * (4 * dim + 1), mp);
}

}  // namespace kjoule
