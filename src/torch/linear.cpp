#include "torch/builders.hpp"
#include "torch/differentiate.hpp"

namespace kjoule::runner {

namespace {

/// Product of a tensor [rows, .., inputs] and weights [outputs, inputs]. Its backward computes the gradients
/// of both, and of the bias.
Directions product(std::vector<int64_t> sizes, int64_t outputs, bool has_bias, const Placement& place) {
  const at::Tensor x = place.uniform(sizes), weight = place.uniform({outputs, sizes.back()});
  std::vector<at::Tensor> inputs{x, weight};
  at::Tensor bias;
  if (has_bias) inputs.push_back(bias = place.uniform({outputs}));
  const double rows = static_cast<double>(x.numel() / sizes.back());
  const double flops = 2 * rows * static_cast<double>(weight.numel());
  const double made = rows * static_cast<double>(outputs) * static_cast<double>(x.element_size());
  const double read = bytes_of({x, weight});
  return differentiate([=] { return std::vector<at::Tensor>{at::linear(x, weight, bias)}; }, inputs,
                       {flops, read + made}, {2 * flops, 2 * read + made});
}

/// The sizes of an operator whose hidden size `dim` is divided among `mp` tensor-parallel ranks.
struct ShardedSizes {
  explicit ShardedSizes(const SampleShape& shape) : mp(shape[0]), b(shape[1]), l(shape[2]), dim(shape[3]) {}
  void check_divisible_by_ranks() const { check_divisible("dim", dim, "mp", mp); }
  int64_t mp, b, l, dim;
};

}  // namespace

Directions embedding(const SampleShape& shape, const Placement& place) {
  const ShardedSizes of(shape);
  const at::Tensor table = place.uniform({vocabulary(of.mp), of.dim});
  const at::Tensor ids = place.whole_numbers(table.size(0), {of.b, of.l});
  const double rows = static_cast<double>(ids.numel() * of.dim * table.element_size());
  // Backward writes the gradient of the whole table, including the rows that no id selects.
  return differentiate([=] { return std::vector<at::Tensor>{at::embedding(table, ids)}; }, {table},
                       {{}, rows + bytes_of({ids})}, {{}, rows + bytes_of({ids, table})});
}

Directions linear_to_qkv(const SampleShape& shape, const Placement& place) {
  const ShardedSizes of(shape);
  of.check_divisible_by_ranks();
  return product({of.l, of.b, of.dim}, 3 * of.dim / of.mp, true, place);
}

Directions linear_after_attention(const SampleShape& shape, const Placement& place) {
  const ShardedSizes of(shape);
  of.check_divisible_by_ranks();
  return product({of.l, of.b, of.dim / of.mp}, of.dim, false, place);
}

Directions linear_up(const SampleShape& shape, const Placement& place) {
  const ShardedSizes of(shape);
  of.check_divisible_by_ranks();
  return product({of.l, of.b, of.dim}, 4 * of.dim / of.mp, false, place);
}

Directions linear_down(const SampleShape& shape, const Placement& place) {
  const ShardedSizes of(shape);
  of.check_divisible_by_ranks();
  return product({of.l, of.b, 4 * of.dim / of.mp}, of.dim, false, place);
}

Directions linear_to_logits(const SampleShape& shape, const Placement& place) {
  const ShardedSizes of(shape);
  return product({of.l, of.b, of.dim}, vocabulary(of.mp), false, place);
}

Directions linear_of_any_size(const SampleShape& shape, const Placement& place) {
  if (shape[0] < 1 || shape[1] < 1 || shape[2] < 1) throw InvalidShape("a size of the product is 0");
  return product({shape[0], shape[1]}, shape[2], false, place);
}

}  // namespace kjoule::runner
