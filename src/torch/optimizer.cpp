#include "torch/builders.hpp"

namespace kjoule::runner {

namespace {

using Sizes = std::vector<std::vector<int64_t>>;

struct Stage {
  explicit Stage(const SampleShape& shape) : mp(shape[0]), dim(shape[1]), encoders(shape[2]) {
    check_divisible("dim", dim, "mp", mp);
    const int64_t part = dim / mp;
    for (int64_t i = 0; i < encoders; ++i) {
      add_norm();
      parameters.insert(parameters.end(), {{3 * part, dim}, {3 * part}, {dim, part}, {dim}});
      add_norm();
      parameters.insert(parameters.end(), {{4 * part, dim}, {4 * part}, {dim, 4 * part}, {dim}});
    }
  }
  void add_norm() { parameters.insert(parameters.end(), {{dim}, {dim}}); }
  void add_words() { parameters.push_back({vocabulary(mp), dim}); }

  int64_t mp, dim, encoders;
  Sizes parameters;
};

/// One step of Adam on all parameters at once. The moments already exist, as in every step except the first.
Directions adam(const Sizes& sizes, const Placement& place) {
  std::vector<at::Tensor> parameters, gradients, means, squares, steps;
  for (const std::vector<int64_t>& size : sizes) {
    parameters.push_back(place.uniform(size));
    gradients.push_back(place.uniform(size));
    means.push_back(at::zeros(size, place.options));
    squares.push_back(at::zeros(size, place.options));
    steps.push_back(at::ones({}, place.options.dtype(at::kFloat)));
  }
  if (parameters.empty()) throw InvalidShape("the pipeline stage has no parameters");
  const double bytes = bytes_of(parameters);
  const auto step = [=](Stopwatch& watch) {
    watch.start();
    at::_foreach_add_(steps, 1);
    at::_fused_adam_(parameters, gradients, means, squares, {}, steps, 1e-3, 0.9, 0.999, 0, 1e-8, false,
                     false);
    watch.stop();
  };
  Directions directions;
  // A step reads parameters, gradients and two moments, and writes all of these except the gradients.
  directions["step"] = {{}, step, {}, 7 * bytes};
  return directions;
}

}  // namespace

Directions first_stage_optimizer(const SampleShape& shape, const Placement& place) {
  Stage stage(shape);
  stage.add_words();
  return adam(stage.parameters, place);
}

Directions middle_stage_optimizer(const SampleShape& shape, const Placement& place) {
  return adam(Stage(shape).parameters, place);
}

Directions last_stage_optimizer(const SampleShape& shape, const Placement& place) {
  Stage stage(shape);
  stage.add_norm();
  stage.add_words();
  return adam(stage.parameters, place);
}

}  // namespace kjoule::runner
