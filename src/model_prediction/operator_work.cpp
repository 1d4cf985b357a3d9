#include "model_prediction/operator_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace kjoule {

namespace {

using Json = nlohmann::json;

std::string precision_of(const std::string& dtype) {
  if (dtype == "Half") return "fp16";
  if (dtype == "BFloat16") return "bf16";
  return dtype == "Double" ? "fp64" : "fp32";
}

/// Returns the precision of the operator's first tensor of floating-point numbers.
std::string precision_of(const RecordedOperator& called) {
  for (const TensorSize& tensor : called.inputs)
    if (tensor.dtype == "Half" || tensor.dtype == "BFloat16" || tensor.dtype == "Double" ||
        tensor.dtype == "Float")
      return precision_of(tensor.dtype);
  return "fp32";
}

/// Returns the precisions whose tables show how fast bytes are moved: the operator's own one first. For other
/// types, tables of two-byte numbers are used with as many bytes.
std::vector<std::string> precisions_for_bytes(const std::string& own) {
  if (own == "bf16") return {"bf16", "fp16"};
  return {"fp16", "bf16"};
}

/// Returns the work of a bundled operator for a shape.
OperatorWork bundled_work(const char* name, const std::vector<double>& shape) {
  return find_operator_kind(name)->work(shape);
}

/// Returns the work of the residual addition (three tensors of two-byte numbers) that moves as many bytes.
/// Its sizes are divided as in the sampled sweeps.
OperatorWork addition_of_bytes(double bytes) {
  constexpr double kBytesEach = 6, kSmall = 1 << 20, kPerSequence = 1 << 24;
  constexpr double kLeastWidth = 1024, kWidth = 4096, kMostWidth = 8192, kMostRows = 4096;
  const double elements = std::max(bytes / kBytesEach, 1.0);
  const double b = elements < kSmall ? 1 : std::clamp(std::floor(elements / kPerSequence), 2.0, 8.0);
  const bool is_large = elements > b * kMostRows * kWidth;
  const double width = is_large ? kMostWidth : std::clamp(elements / (b * 512), kLeastWidth, kWidth);
  return bundled_work("res_add", {b, elements / (b * width), width});
}

SampledWork moved_bytes(const std::string& precision, double bytes, Likeness likeness) {
  return {
      {"res_add"}, Direction::forward, addition_of_bytes(bytes), precisions_for_bytes(precision), likeness};
}

CallWork unknown_work(std::string why) {
  CallWork work;
  work.unknown = std::move(why);
  return work;
}

bool is_floating(const TensorSize& tensor) {
  return tensor.dtype == "Half" || tensor.dtype == "BFloat16" || tensor.dtype == "Float" ||
         tensor.dtype == "Double";
}

/// Returns whether elements are converted to another type one by one. libtorch's kernels for this are slower
/// than those for equal types, except for copies into a narrower type.
bool converts_elements(const RecordedOperator& called) {
  const auto& results = called.written.empty() ? called.outputs : called.written;
  if (results.empty() || !is_floating(results[0])) return false;
  const double each = results[0].bytes / std::max(results[0].elements, 1.0);
  return std::any_of(called.inputs.begin(), called.inputs.end(), [&](const TensorSize& input) {
    const bool is_other = is_floating(input) && input.dtype != results[0].dtype && !input.shape.empty();
    return is_other && (called.inputs.size() > 1 || input.bytes < each * input.elements);
  });
}

/// Returns work that moves the bytes of the operator's tensors.
CallWork bytes_work(const RecordedOperator& called, const char* kind, Likeness likeness) {
  CallWork work{kind, {}, 0, called.bytes_read() + called.bytes_written(), precision_of(called), {}};
  work.sampled.push_back(moved_bytes(work.precision, work.bytes, likeness));
  return work;
}

/// The sizes of one matrix product: m x k times k x n, `batch` times.
struct ProductSizes {
  double batch = 1, m = 0, k = 0, n = 0;

  double flops() const { return 2 * batch * m * k * n; }
};

/// Returns the work of a batched product as the sampled products of attention have it: scores (inner size is
/// the smallest), or mixing of values.
SampledWork batched_product(const ProductSizes& p, const std::string& precision) {
  const double first = p.batch * p.m * p.k, second = p.batch * p.k * p.n, result = p.batch * p.m * p.n;
  const bool is_scores = p.k <= p.n;
  SampledWork work{{is_scores ? "baddbmm" : "bmm"}, Direction::forward, {}, {precision}, Likeness::similar};
  work.work.features = {p.batch, p.m, p.k, p.n};
  work.work.flops = p.flops();
  work.work.streams = is_scores ? std::vector<double>{(first + second) / 2, result}
                                : std::vector<double>{(second + result) / 2, first};
  return work;
}

SampledWork single_product(const ProductSizes& p, const std::string& precision, Likeness likeness) {
  return {{"linear", "linear1", "linear2", "linear3", "linear4", "linear_final"},
          Direction::forward,
          bundled_work("linear", {p.m, p.k, p.n}),
          {precision},
          likeness};
}

/// Returns the slowdown of a product whose rows do not begin at multiples of 16 bytes, for which libraries
/// have slower kernels only. In a training step of GPT-2 on an H200, three such products (bf16, 50,257
/// columns) take 5.9, 6.6 and 7.7 times as long as aligned ones are predicted to take.
Slowdown alignment_slowdown(const ProductSizes& p) {
  constexpr double kAligned = 8;
  constexpr double kFewRows = 64;  // fewer rows are limited by the memory
  const bool is_aligned = std::fmod(p.k, kAligned) == 0 && std::fmod(p.n, kAligned) == 0;
  return is_aligned || p.m < kFewRows ? Slowdown{} : Slowdown{6.6, 1, 9};
}

CallWork product_work(const RecordedOperator& called, const ProductSizes& p) {
  CallWork work{"matrix product",     {}, p.flops(), called.bytes_read() + called.bytes_written(),
                precision_of(called), {}};
  if (p.flops() <= 0) return unknown_work("a matrix has no elements");
  work.sampled.push_back(p.batch > 1 ? batched_product(p, work.precision)
                                     : single_product(p, work.precision, Likeness::same));
  if (p.batch == 1) work.slowdown = alignment_slowdown(p);
  return work;
}

/// Returns the work of the product of the inputs `a` and `b`, which are matrices or batches of them.
CallWork product_of_inputs(const RecordedOperator& called, size_t a, size_t b) {
  if (called.inputs.size() <= b) return unknown_work("a matrix is missing");
  const TensorSize &first = called.inputs[a], &second = called.inputs[b];
  if (first.shape.empty() || second.shape.empty()) return unknown_work("a matrix is a single number");
  const double k = first.size(-1), n = second.shape.size() < 2 ? 1 : second.size(-1);
  if (second.shape.size() <= 2) return product_work(called, {1, first.elements / std::max(k, 1.0), k, n});
  const double m = first.shape.size() < 2 ? 1 : first.size(-2);
  const double of_first = first.elements / std::max(m * k, 1.0);
  const double of_second = second.elements / std::max(k * n, 1.0);
  return product_work(called, {std::max(of_first, of_second), m, k, n});
}

CallWork linear_work(const RecordedOperator& called) {
  if (called.inputs.size() < 2) return unknown_work("the weights are missing");
  const TensorSize& weight = called.inputs[1];
  const double k = weight.size(-1), n = weight.elements / std::max(k, 1.0);
  return product_work(called, {1, called.inputs[0].elements / std::max(k, 1.0), k, n});
}

/// A convolution as the product of weights and unfolded pictures. A grouped convolution has no such product
/// that is nearly as fast.
CallWork convolution_work(const RecordedOperator& called) {
  if (called.inputs.size() < 2 || called.outputs.empty() || called.inputs[1].shape.size() < 3)
    return unknown_work("the weights are missing");
  const bool is_general = called.name == "aten::convolution" || called.name == "aten::_convolution";
  if (is_general && called.arguments.size() > 6 && called.arguments[6] == true)
    return unknown_work("it is a transposed convolution");
  const TensorSize &weight = called.inputs[1], &result = called.outputs[0];
  const double n = weight.size(0), k = weight.elements / std::max(n, 1.0);
  const ProductSizes p{1, result.elements / std::max(n, 1.0), k, n};
  if (p.flops() <= 0) return unknown_work("a tensor has no elements");
  CallWork work{"convolution",        {}, p.flops(), called.bytes_read() + called.bytes_written(),
                precision_of(called), {}};
  if (called.inputs[0].size(1) == weight.size(1))
    work.sampled.push_back(single_product(p, work.precision, Likeness::distant));
  return work;
}

/// The gradients of a convolution: two convolutions with as many FLOPs as the forward pass each.
CallWork convolution_gradients(const RecordedOperator& called) {
  if (called.inputs.size() < 3) return unknown_work("the weights are missing");
  const TensorSize &gradient = called.inputs[0], &weight = called.inputs[2];
  const double n = weight.size(0), k = weight.elements / std::max(n, 1.0),
               m = gradient.elements / std::max(n, 1.0);
  if (m * n * k <= 0) return unknown_work("a tensor has no elements");
  CallWork work{"convolution",        {}, 4 * m * n * k, called.bytes_read() + called.bytes_written(),
                precision_of(called), {}};
  if (called.inputs[1].size(1) != weight.size(1)) return work;
  work.sampled.push_back(single_product({1, m, n, k}, work.precision, Likeness::distant));
  work.sampled.push_back(single_product({1, n, m, k}, work.precision, Likeness::distant));
  return work;
}

/// Returns the rows of a tensor as sequences and rows in each, and the width of a row.
std::vector<double> rows_of(const TensorSize& tensor, double width) {
  const double rows = tensor.elements / std::max(width, 1.0);
  const double b = tensor.shape.size() >= 3 ? std::max(tensor.size(0), 1.0) : 1;
  return {b, rows / b, width};
}

/// Returns the work of an operator on rows that a sampled operator does with two-byte numbers. Larger numbers
/// are taken as more rows, so that as many bytes are moved.
CallWork rows_work(const RecordedOperator& called, const char* kind, const char* sampled, Direction direction,
                   const TensorSize& tensor, double width, Likeness likeness) {
  CallWork work{kind, {}, 0, called.bytes_read() + called.bytes_written(), precision_of(called), {}};
  if (tensor.elements <= 0) return unknown_work("a tensor has no elements");
  std::vector<double> rows = rows_of(tensor, width);
  const bool is_wide = work.precision == "fp32" || work.precision == "fp64";
  if (is_wide) rows[1] *= work.precision == "fp32" ? 2 : 4;
  OperatorWork done = bundled_work("layernorm", rows);
  if (std::string_view(sampled) == "gelu") done.streams = {rows[0] * rows[1] * rows[2]};
  work.sampled.push_back(
      {{sampled},
       direction,
       std::move(done),
       is_wide ? precisions_for_bytes(work.precision) : std::vector<std::string>{work.precision},
       is_wide ? std::max(likeness, Likeness::similar) : likeness});
  return work;
}

CallWork norm_work(const RecordedOperator& called) {
  const bool is_backward = called.name.ends_with("_backward");
  if (called.inputs.empty()) return unknown_work("its input is missing");
  double width = 1;  // of the normalised dimensions, which the argument after the tensor lists
  const size_t at = is_backward ? 2 : 1;
  if (called.arguments.size() <= at || !called.arguments[at].is_array())
    return unknown_work("its dimensions are missing");
  for (const Json& size : called.arguments[at])
    if (size.is_number_integer()) width *= std::max(size.get<double>(), 1.0);
  return rows_work(called, "layer norm", "layernorm", is_backward ? Direction::backward : Direction::forward,
                   called.inputs[0], std::min(width, std::max(called.inputs[0].elements, 1.0)),
                   called.name == "aten::rms_norm" ? Likeness::similar : Likeness::same);
}

/// Returns the work of a norm over other dimensions than the rows of layer norm, by a layer norm of as many
/// bytes.
CallWork picture_norm_work(const RecordedOperator& called) {
  constexpr double kWidth = 4096, kBytesEach = 4;
  if (called.inputs.empty() || called.inputs[0].elements <= 0) return unknown_work("its input is missing");
  CallWork work{"norm", {}, 0, called.bytes_read() + called.bytes_written(), precision_of(called), {}};
  const bool is_backward = called.name.ends_with("_backward");
  const double rows = work.bytes / (kBytesEach * kWidth), b = std::clamp(std::floor(rows / 2048), 1.0, 8.0);
  work.sampled.push_back({{"layernorm"},
                          is_backward ? Direction::backward : Direction::forward,
                          bundled_work("layernorm", {b, rows / b, kWidth}),
                          precisions_for_bytes(work.precision),
                          Likeness::distant});
  return work;
}

CallWork gelu_work(const RecordedOperator& called) {
  const bool is_backward = called.name == "aten::gelu_backward";
  if (called.inputs.empty()) return unknown_work("its input is missing");
  return rows_work(called, "gelu", "gelu", is_backward ? Direction::backward : Direction::forward,
                   called.inputs[0], called.inputs[0].size(-1), Likeness::same);
}

/// Returns the work of a softmax over rows that are read again for the largest element, the sum and the
/// results, because they are too long for registers (from 1024 elements on).
CallWork long_rows_work(const RecordedOperator& called) {
  constexpr double kLongRow = 1024;
  if (called.inputs.empty() || called.inputs[0].elements <= 0) return unknown_work("its input is missing");
  CallWork work{"softmax", {}, 0, called.bytes_read() + called.bytes_written(), precision_of(called), {}};
  if (called.inputs[0].size(-1) > kLongRow)
    work.bytes += (called.name.ends_with("_backward_data") ? 1 : 2) * called.bytes_read();
  work.sampled.push_back(moved_bytes(work.precision, work.bytes, Likeness::distant));
  return work;
}

CallWork softmax_work(const RecordedOperator& called) {
  const bool is_backward = called.name == "aten::_softmax_backward_data";
  if (called.inputs.empty() || called.inputs[0].elements <= 0) return unknown_work("its input is missing");
  const TensorSize& tensor = called.inputs[0];
  const double width = tensor.size(-1), rows = tensor.elements / std::max(width, 1.0);
  CallWork work{"softmax", {}, 0, called.bytes_read() + called.bytes_written(), precision_of(called), {}};
  const bool is_square = tensor.shape.size() >= 3 && tensor.size(-2) == width;
  if (!is_square) return long_rows_work(called);
  const double b = tensor.shape.size() >= 4 ? std::max(tensor.size(0), 1.0) : 1;
  OperatorWork done;
  done.features = {b, rows / (b * width), width, width};
  done.streams = {rows * width, rows};
  const bool has_table = work.precision == "fp16" || work.precision == "bf16";
  work.sampled.push_back({{"softmax"},
                          is_backward ? Direction::backward : Direction::forward,
                          std::move(done),
                          has_table ? std::vector<std::string>{work.precision} : std::vector<std::string>{},
                          Likeness::same});
  if (!has_table) return long_rows_work(called);
  return work;
}

CallWork embedding_work(const RecordedOperator& called) {
  if (called.inputs.size() < 2) return unknown_work("its indices are missing");
  const TensorSize &table = called.inputs[0], &indices = called.inputs[1];
  const double dim = table.size(-1), tokens = indices.elements;
  CallWork work{"embedding",          {}, 0, 2 * tokens * table.bytes / std::max(table.size(0), 1.0),
                precision_of(called), {}};
  // The time depends on the rows that are read, not on the size of the table.
  work.sampled.push_back({{"embedding"},
                          Direction::forward,
                          bundled_work("embedding", {1, 1, tokens, dim}),
                          precisions_for_bytes(work.precision),
                          work.precision == "fp32" ? Likeness::similar : Likeness::same});
  return work;
}

CallWork embedding_gradient(const RecordedOperator& called) {
  if (called.outputs.empty() || called.inputs.size() < 2) return unknown_work("its gradient is missing");
  const TensorSize &table = called.outputs[0], &indices = called.inputs[1];
  const double dim = table.size(-1), words = table.size(0), tokens = indices.elements;
  CallWork work{"embedding", {}, 0, called.bytes_read() + called.bytes_written(), precision_of(called), {}};
  OperatorWork done;
  done.features = {tokens, words, dim};
  done.streams = {tokens * dim, words * dim};
  work.sampled.push_back({{"embedding"},
                          Direction::backward,
                          std::move(done),
                          precisions_for_bytes(work.precision),
                          work.precision == "fp32" ? Likeness::similar : Likeness::same});
  return work;
}

/// Returns whether tokens attend to earlier tokens only.
bool is_causal(const RecordedOperator& called, bool is_backward) {
  const Json& arguments = called.arguments;
  if (is_backward)
    return std::any_of(arguments.begin(), arguments.end(), [](const Json& value) { return value == true; });
  const std::map<std::string, size_t> places{{"aten::scaled_dot_product_attention", 5},
                                             {"aten::_scaled_dot_product_flash_attention", 4},
                                             {"aten::_scaled_dot_product_flash_attention_for_cpu", 4},
                                             {"aten::_scaled_dot_product_efficient_attention", 6},
                                             {"aten::_scaled_dot_product_cudnn_attention", 6}};
  const auto place = places.find(called.name);
  return place != places.end() && arguments.size() > place->second && arguments[place->second] == true;
}

CallWork attention_work(const RecordedOperator& called) {
  const bool is_backward = called.name.ends_with("_backward");
  const size_t q = is_backward ? 1 : 0;
  if (called.inputs.size() < q + 3 || called.inputs[q].shape.size() < 3)
    return unknown_work("its tensors are missing");
  const TensorSize &query = called.inputs[q], &key = called.inputs[q + 1];
  const double l = query.size(-2), keys = key.size(-2), size = query.size(-1), heads = query.size(-3);
  const double b = query.elements / std::max(heads * l * size, 1.0);
  const bool causal = is_causal(called, is_backward);
  CallWork work{"attention",
                {},
                (causal ? 2 : 4) * b * heads * l * keys * size * (is_backward ? 2.5 : 1),
                called.bytes_read() + called.bytes_written(),
                precision_of(called),
                {}};
  if (work.flops <= 0) return unknown_work("a tensor has no elements");
  // One token that attends to many reads keys and values once; the sampled attention computes.
  if (l != keys) return work;
  const Direction direction = is_backward ? Direction::backward : Direction::forward;
  const double kept = key.size(-3);
  if (kept != heads && causal) {
    OperatorWork grouped = bundled_work("grouped_query_atten", {1, b, heads, kept, l, heads * size});
    work.sampled.push_back(
        {{"grouped_query_atten"}, direction, std::move(grouped), {work.precision}, Likeness::same});
    return work;
  }
  const char* sampled = causal ? "flash_atten_causal" : "flash_atten";
  work.sampled.push_back({{sampled},
                          direction,
                          bundled_work(sampled, {1, b, heads, l, heads * size}),
                          {work.precision},
                          called.inputs.size() > q + 3 && !is_backward ? Likeness::similar : Likeness::same});
  return work;
}

/// Returns the slowdown by conversions: in a training step of GPT-2 on an H200, five kinds of kernels that
/// convert elements take 1.6 to 2.1 times as long as their bytes at the bandwidth of additions.
Slowdown conversion_slowdown(const RecordedOperator& called) {
  return converts_elements(called) ? Slowdown{1.8, 1, 2.2} : Slowdown{};
}

/// Operators that read only the rows or elements that an index chooses, or write zeros and such elements.
const std::set<std::string>& operators_of_chosen_rows() {
  static const std::set<std::string> names{"aten::gather",           "aten::index",
                                           "aten::index_select",     "aten::nll_loss",
                                           "aten::nll_loss_forward", "aten::nll_loss_backward"};
  return names;
}

/// As many bytes are read as are written; of a gradient, only the zeros are written.
CallWork chosen_rows_work(const RecordedOperator& called) {
  const double reads = called.name == "aten::nll_loss_backward" ? 0 : called.bytes_written();
  CallWork work{"rows by index", {}, 0, reads + called.bytes_written(), precision_of(called), {}};
  work.sampled.push_back(moved_bytes(work.precision, work.bytes, Likeness::distant));
  return work;
}

/// Operators whose time is that of reading their tensors and writing their results, in order.
const std::set<std::string>& operators_of_elements() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (const char* name : {"abs",
                             "add",
                             "addcdiv",
                             "addcmul",
                             "arange",
                             "bernoulli",
                             "bitwise_and",
                             "bitwise_not",
                             "bitwise_or",
                             "cat",
                             "clamp",
                             "clamp_max",
                             "clamp_min",
                             "clone",
                             "contiguous",
                             "copy",
                             "cos",
                             "cosh",
                             "div",
                             "dropout",
                             "elu",
                             "eq",
                             "erf",
                             "exp",
                             "expm1",
                             "fill",
                             "floor",
                             "floor_divide",
                             "full",
                             "full_like",
                             "ge",
                             "glu",
                             "gt",
                             "hardsigmoid",
                             "hardswish",
                             "hardtanh",
                             "isinf",
                             "isnan",
                             "le",
                             "leaky_relu",
                             "lerp",
                             "log",
                             "log1p",
                             "logical_and",
                             "logical_not",
                             "logical_or",
                             "lt",
                             "masked_fill",
                             "maximum",
                             "minimum",
                             "mul",
                             "native_dropout",
                             "native_dropout_backward",
                             "ne",
                             "neg",
                             "new_full",
                             "new_ones",
                             "new_zeros",
                             "ones",
                             "ones_like",
                             "pow",
                             "reciprocal",
                             "relu",
                             "remainder",
                             "reshape",
                             "round",
                             "rsqrt",
                             "rsub",
                             "scalar_tensor",
                             "sigmoid",
                             "sigmoid_backward",
                             "sign",
                             "silu",
                             "silu_backward",
                             "sin",
                             "softplus",
                             "sqrt",
                             "square",
                             "stack",
                             "sub",
                             "tanh",
                             "tanh_backward",
                             "threshold_backward",
                             "to",
                             "tril",
                             "triu",
                             "where",
                             "zero",
                             "zeros",
                             "zeros_like",
                             "__and__",
                             "__or__",
                             "_to_copy",
                             "_fused_adam",
                             "_fused_adamw",
                             "_fused_sgd",
                             "_foreach_add",
                             "_foreach_mul",
                             "_foreach_addcmul",
                             "_foreach_addcdiv",
                             "_foreach_lerp",
                             "_foreach_sqrt",
                             "_foreach_div",
                             "_foreach_zero",
                             "_foreach_copy"})
      all.insert(std::string("aten::") + name);
    return all;
  }();
  return names;
}

/// Operators that move the bytes of their tensors, but in another order or more than once: reductions, norms
/// of pictures, pooling, losses.
const std::set<std::string>& operators_of_other_orders() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (const char* name : {"_adaptive_avg_pool2d",
                             "adaptive_avg_pool2d",
                             "all",
                             "amax",
                             "amin",
                             "any",
                             "argmax",
                             "argmin",
                             "avg_pool2d",
                             "constant_pad_nd",
                             "cross_entropy_loss",
                             "cumsum",
                             "flip",
                             "index_add",
                             "index_copy",
                             "index_put",
                             "linalg_vector_norm",
                             "logsumexp",
                             "max",
                             "max_pool2d",
                             "max_pool2d_with_indices",
                             "max_pool2d_with_indices_backward",
                             "mean",
                             "min",
                             "mse_loss",
                             "norm",
                             "pad",
                             "prod",
                             "repeat",
                             "roll",
                             "scatter",
                             "scatter_add",
                             "std",
                             "sum",
                             "var"})
      all.insert(std::string("aten::") + name);
    return all;
  }();
  return names;
}

using WorkFunction = std::function<CallWork(const RecordedOperator&)>;

/// Returns the operators whose work is not only that of moving bytes.
const std::map<std::string, WorkFunction>& computing_operators() {
  static const std::map<std::string, WorkFunction> functions = [] {
    const auto of = [](size_t a, size_t b) {
      return [a, b](const RecordedOperator& called) { return product_of_inputs(called, a, b); };
    };
    std::map<std::string, WorkFunction> all{{"aten::linear", linear_work},
                                            {"aten::addmm", of(1, 2)},
                                            {"aten::baddbmm", of(1, 2)},
                                            {"aten::addmv", of(1, 2)},
                                            {"aten::mm", of(0, 1)},
                                            {"aten::mv", of(0, 1)},
                                            {"aten::bmm", of(0, 1)},
                                            {"aten::matmul", of(0, 1)},
                                            {"aten::convolution_backward", convolution_gradients},
                                            {"aten::embedding", embedding_work},
                                            {"aten::embedding_dense_backward", embedding_gradient}};
    for (const char* name :
         {"conv1d", "conv2d", "conv3d", "convolution", "_convolution", "cudnn_convolution"})
      all[std::string("aten::") + name] = convolution_work;
    for (const char* name : {"layer_norm", "native_layer_norm", "native_layer_norm_backward", "rms_norm"})
      all[std::string("aten::") + name] = norm_work;
    for (const char* name :
         {"batch_norm", "cudnn_batch_norm", "native_batch_norm", "native_batch_norm_backward",
          "_native_batch_norm_legit", "_native_batch_norm_legit_no_training", "_batch_norm_impl_index",
          "group_norm", "instance_norm", "native_group_norm", "native_group_norm_backward"})
      all[std::string("aten::") + name] = picture_norm_work;
    for (const char* name : {"gelu", "gelu_backward"}) all[std::string("aten::") + name] = gelu_work;
    for (const char* name : {"log_softmax", "_log_softmax", "_log_softmax_backward_data"})
      all[std::string("aten::") + name] = long_rows_work;
    for (const char* name : {"softmax", "_softmax", "_safe_softmax", "_softmax_backward_data"})
      all[std::string("aten::") + name] = softmax_work;
    for (const char* name :
         {"scaled_dot_product_attention", "_scaled_dot_product_flash_attention",
          "_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_flash_attention_for_cpu",
          "_scaled_dot_product_flash_attention_for_cpu_backward", "_scaled_dot_product_efficient_attention",
          "_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_cudnn_attention",
          "_scaled_dot_product_cudnn_attention_backward"})
      all[std::string("aten::") + name] = attention_work;
    return all;
  }();
  return functions;
}

std::string dimensions_text(const TensorSize& tensor) {
  std::string text;
  for (const double size : tensor.shape) text += fmt::format("{}{:.0f}", text.empty() ? "" : "x", size);
  return text.empty() ? "1" : text;
}

}  // namespace

CallWork work_of(const RecordedOperator& called) {
  const auto& computing = computing_operators();
  if (const auto found = computing.find(called.name); found != computing.end()) return found->second(called);
  if (operators_of_elements().contains(called.name)) {
    CallWork work = bytes_work(called, "element-wise", Likeness::similar);
    if (!called.name.starts_with("aten::_fused_")) work.slowdown = conversion_slowdown(called);
    return work;
  }
  if (operators_of_chosen_rows().contains(called.name)) return chosen_rows_work(called);
  if (operators_of_other_orders().contains(called.name))
    return bytes_work(called, "moving bytes", Likeness::distant);
  return unknown_work("kjoule does not know its work");
}

std::string sizes_of(const RecordedOperator& called) {
  constexpr size_t kMostTensors = 2;
  std::string text;
  const auto& tensors = called.inputs.empty() ? called.outputs : called.inputs;
  for (size_t i = 0; i < std::min(tensors.size(), kMostTensors); ++i)
    text += (i ? ", " : "") + dimensions_text(tensors[i]);
  return text;
}

}  // namespace kjoule
