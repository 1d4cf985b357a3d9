#include <memory>

#include "torch/builders.hpp"
#include "torch/differentiate.hpp"

namespace kjoule::runner {

Directions gelu(const SampleShape& shape, const Placement& place) {
  const int64_t mp = shape[0], b = shape[1], l = shape[2], dim = shape[3];
  check_divisible("dim", dim, "mp", mp);
  const at::Tensor x = place.uniform({l, b, 4 * dim / mp});
  return differentiate([=] { return std::vector<at::Tensor>{at::gelu(x)}; }, {x}, {{}, 2 * bytes_of({x})},
                       {{}, 3 * bytes_of({x})});
}

/// SwiGLU of a tensor whose rows contain first all gates and then all values, as a single matrix product
/// computes them.
Directions swiglu(const SampleShape& shape, const Placement& place) {
  const int64_t mp = shape[0], b = shape[1], l = shape[2], ffn = shape[3];
  check_divisible("ffn", ffn, "mp", mp);
  const at::Tensor x = place.uniform({l, b, 2 * ffn / mp});
  const auto make = [=] {
    const std::vector<at::Tensor> halves = x.chunk(2, -1);
    return std::vector<at::Tensor>{at::silu(halves[0]) * halves[1]};
  };
  return differentiate(make, {x}, {{}, 1.5 * bytes_of({x})}, {{}, 2.5 * bytes_of({x})});
}

namespace {

at::Tensor turned(const at::Tensor& x) {
  const std::vector<at::Tensor> halves = x.chunk(2, -1);
  return at::cat({halves[1].neg(), halves[0]}, -1);
}

}  // namespace

Directions rotary_positions(const SampleShape& shape, const Placement& place) {
  const int64_t mp = shape[0], b = shape[1], h = shape[2], l = shape[3], dim = shape[4];
  check_divisible("dim", dim, "mp", mp);
  check_divisible("h", h, "mp", mp);
  check_divisible("dim", dim, "h", h);
  const int64_t width = dim / h;
  check_divisible("dim/h", width, "the number of halves", 2);
  const at::Tensor q = place.uniform({l, b, h / mp, width}), k = place.uniform({l, b, h / mp, width});
  const auto floats = place.options.dtype(at::kFloat);
  const at::Tensor frequencies = at::pow(10000.0, at::arange(0, width, 2, floats).div(-width));
  const at::Tensor angles = at::outer(at::arange(l, floats), frequencies);
  const at::Tensor all = at::cat({angles, angles}, -1).view({l, 1, 1, width});
  const at::Tensor cosines = all.cos().to(q.scalar_type()), sines = all.sin().to(q.scalar_type());
  const auto make = [=] {
    return std::vector<at::Tensor>{q * cosines + turned(q) * sines, k * cosines + turned(k) * sines};
  };
  return differentiate(make, {q, k}, {{}, 2 * bytes_of({q, k})}, {{}, 2 * bytes_of({q, k})});
}

/// Residual addition. Its backward passes the gradient on to both sides at no cost. The time of backward is
/// that of the addition of both gradients where the two sides branch from one tensor.
Directions residual_addition(const SampleShape& shape, const Placement& place) {
  const int64_t b = shape[0], l = shape[1], dim = shape[2];
  const at::Tensor x = place.uniform({l, b, dim}), y = place.uniform({l, b, dim});
  const auto add = [x, y](Stopwatch& watch) {
    watch.start();
    const at::Tensor sum = at::add(x, y);
    watch.stop();
  };
  const double bytes = 3 * bytes_of({x});
  Directions directions;
  directions["forward"] = {{}, add, {}, bytes};
  directions["backward"] = {{}, add, {}, bytes};
  return directions;
}

}  // namespace kjoule::runner
