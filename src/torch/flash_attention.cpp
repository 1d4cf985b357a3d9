#include <fmt/format.h>

#include <cmath>

#include "torch/builders.hpp"
#include "torch/differentiate.hpp"

namespace kjoule::runner {

namespace {

struct Attention {
  int64_t b, heads, key_heads, l, width;
  bool causal;

  /// Returns the FLOPs of `products` matrix products: forward has 2, and backward 5, because it computes the
  /// scores again. With a causal mask, only pairs up to the diagonal count.
  double flops(double products) const {
    const auto tokens = static_cast<double>(l);
    const double pairs = causal ? tokens * (tokens + 1) / 2 : tokens * tokens;
    return products * 2 * static_cast<double>(b * heads) * pairs * static_cast<double>(width);
  }
};

/// Calls the kernel directly, because the usual function might choose a different kernel.
at::Tensor flash(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal) {
  if (q.is_cpu()) return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0, causal));
  return std::get<0>(at::_scaled_dot_product_flash_attention(q, k, v, 0, causal));
}

Directions attend(const Attention& of, const Placement& place) {
  if (!place.on_cpu() && place.options.dtype() == at::kFloat)
    throw UnsupportedOperator("flash attention has no fp32 kernel", "use fp16 or bf16");
  if (!place.on_cpu() && (of.width > 256 || of.width % 8 != 0))
    throw InvalidShape(fmt::format("flash attention has no kernel for heads of width {}", of.width));
  const at::Tensor q = place.normal({of.b, of.l, of.heads, of.width});
  const at::Tensor k = place.normal({of.b, of.l, of.key_heads, of.width}), v = at::randn_like(k);
  const auto make = [=] {
    const auto heads_first = [](const at::Tensor& x) { return x.transpose(1, 2); };
    return std::vector<at::Tensor>{flash(heads_first(q), heads_first(k), heads_first(v), of.causal)};
  };
  const double read = bytes_of({q, k, v}), made = bytes_of({q});
  return differentiate(make, {q, k, v}, {of.flops(2), read + made}, {of.flops(5), 2 * read + 2 * made});
}

Attention heads_alike(const SampleShape& shape, bool causal) {
  const int64_t mp = shape[0], b = shape[1], h = shape[2], l = shape[3], dim = shape[4];
  check_divisible("dim", dim, "mp", mp);
  check_divisible("h", h, "mp", mp);
  check_divisible("dim", dim, "h", h);
  return {b, h / mp, h / mp, l, dim / h, causal};
}

}  // namespace

Directions flash_attention(const SampleShape& shape, const Placement& place) {
  return attend(heads_alike(shape, false), place);
}

Directions causal_flash_attention(const SampleShape& shape, const Placement& place) {
  return attend(heads_alike(shape, true), place);
}

Directions grouped_query_attention(const SampleShape& shape, const Placement& place) {
  const int64_t kv = shape[3];
  Attention of = heads_alike({shape[0], shape[1], shape[2], shape[4], shape[5]}, true);
  check_divisible("kv", kv, "mp", shape[0]);
  check_divisible("h", shape[2], "kv", kv);
  of.key_heads = kv / shape[0];
  return attend(of, place);
}

}  // namespace kjoule::runner
