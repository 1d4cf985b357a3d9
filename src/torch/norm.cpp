#include <cmath>

#include "torch/builders.hpp"
#include "torch/differentiate.hpp"

namespace kjoule::runner {

Directions layer_norm(const SampleShape& shape, const Placement& place) {
  const int64_t b = shape[0], l = shape[1], dim = shape[2];
  const at::Tensor x = place.uniform({l, b, dim}), weight = place.uniform({dim}), bias = place.uniform({dim});
  const auto make = [=] { return std::vector<at::Tensor>{at::layer_norm(x, {dim}, weight, bias, 1e-5)}; };
  return differentiate(make, {x, weight, bias}, {{}, 2 * bytes_of({x})}, {{}, 3 * bytes_of({x})});
}

/// Unfused RMS norm, with a scale in fp32: x / (rms + 1e-8) * scale.
Directions rms_norm(const SampleShape& shape, const Placement& place) {
  const int64_t b = shape[0], l = shape[1], dim = shape[2];
  const at::Tensor x = place.uniform({l, b, dim});
  const at::Tensor scale = at::rand({dim}, place.options.dtype(at::kFloat));
  const double per_root = 1 / std::sqrt(static_cast<double>(dim));
  const auto make = [=] {
    const at::Tensor rms = at::norm(x, 2, {-1}, true).mul(per_root).add(1e-8);
    return std::vector<at::Tensor>{(scale * (x / rms)).to(x.scalar_type())};
  };
  return differentiate(make, {x, scale}, {{}, 2 * bytes_of({x})}, {{}, 3 * bytes_of({x})});
}

}  // namespace kjoule::runner
