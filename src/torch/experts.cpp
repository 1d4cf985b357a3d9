#include "torch/experts.hpp"

#include <fmt/format.h>

#include <utility>

#include "torch/builders.hpp"
#include "torch/differentiate.hpp"

namespace kjoule::runner {

namespace {

struct Experts {
  explicit Experts(const SampleShape& shape)
      : mp(shape[0]),
        b(shape[1]),
        l(shape[2]),
        dim(shape[3]),
        experts(shape[4]),
        ffn(shape[5]),
        chosen(shape[6]) {
    check_divisible("l", l, "mp", mp);
    check_divisible("moe_num_experts", experts, "mp", mp);
    if (chosen < 1 || chosen > experts)
      throw InvalidShape(fmt::format("top_k is {}, but must be from 1 to {} (experts)", chosen, experts));
    if (ffn == 0) ffn = (4 * dim + 255) / 256 * 256;
  }
  int64_t tokens() const { return l / mp * b; }
  int64_t here() const { return experts / mp; }  ///< number of experts on this device
  double flops() const {
    const auto rows = static_cast<double>(tokens());
    return 2 * rows * static_cast<double>(dim * experts) +
           4 * rows * static_cast<double>(chosen) * static_cast<double>(dim) * static_cast<double>(ffn);
  }
  int64_t mp, b, l, dim, experts, ffn, chosen;
};

/// Returns whether libtorch's grouped product accepts these matrices: their rows must begin at multiples of
/// 16 bytes.
bool is_aligned(const at::Tensor& rows, const at::Tensor& weights) {
  const auto fits = [](const at::Tensor& matrix) {
    return matrix.size(-1) * static_cast<int64_t>(matrix.element_size()) % 16 == 0;
  };
  return fits(rows) && fits(weights);
}

}  // namespace

at::Tensor multiply_by_experts(const at::Tensor& rows, const at::Tensor& weights, const at::Tensor& ends) {
  if (is_aligned(rows, weights)) return at::_grouped_mm(rows, weights, ends);
  const at::Tensor at_host = ends.cpu();
  std::vector<int64_t> counts;
  for (int64_t expert = 0, first = 0; expert < weights.size(0); ++expert) {
    const int64_t end = at_host.const_data_ptr<int32_t>()[expert];
    counts.push_back(end - std::exchange(first, end));
  }
  // Not rows.slice() and weights.select(): each of these would get a gradient of the whole tensor's size.
  const std::vector<at::Tensor> parts = rows.split_with_sizes(counts), matrices = weights.unbind();
  std::vector<at::Tensor> products;
  for (size_t expert = 0; expert < matrices.size(); ++expert)
    products.push_back(at::mm(parts[expert], matrices[expert]));
  return at::cat(products);
}

/// A mixture of experts: the tokens of one device pass through its experts. The router chooses among the
/// experts of all devices. With mp > 1, the chosen expert of a token may be on another device. Such a token
/// stands in for the token that the other device sends back, and goes to the expert at the same position on
/// this device. Thus as many rows arrive as leave, and their distribution over experts is that of the router.
Directions mixture_of_experts(const SampleShape& shape, const Placement& place) {
  const Experts of(shape);
  const at::Tensor x = place.normal({of.tokens(), of.dim});
  const at::Tensor router = place.normal({of.experts, of.dim});
  const at::Tensor up = place.normal({of.here(), of.dim, of.ffn}).mul_(0.02);
  const at::Tensor down = place.normal({of.here(), of.ffn, of.dim}).mul_(0.02);
  const at::Tensor places = at::arange(of.here(), place.options.dtype(at::kLong));
  const auto make = [=] {
    const at::Tensor shares = at::softmax(at::linear(x, router), -1, at::kFloat);
    const auto [weights, chosen] = at::topk(shares, of.chosen);
    const at::Tensor expert = at::remainder(chosen, of.here()).flatten();
    const at::Tensor order = at::argsort(expert, /*stable=*/true);
    const at::Tensor sorted = expert.index_select(0, order);
    const at::Tensor ends = at::searchsorted(sorted, places, /*out_int32=*/true, /*right=*/true);
    const at::Tensor token = at::div(order, of.chosen, "floor");
    const at::Tensor hidden = at::gelu(multiply_by_experts(x.index_select(0, token), up, ends));
    const at::Tensor rows = multiply_by_experts(hidden, down, ends);
    const at::Tensor weighted =
        rows * weights.flatten().index_select(0, order).unsqueeze(-1).to(rows.scalar_type());
    return std::vector<at::Tensor>{at::zeros_like(x).index_add(0, token, weighted)};
  };
  const double read = bytes_of({x, router});  // an expert that no token chooses is not read
  return differentiate(make, {x, router, up, down}, {of.flops(), read + bytes_of({x})},
                       {2 * of.flops(), 2 * read + bytes_of({x, up, down})});
}

}  // namespace kjoule::runner
