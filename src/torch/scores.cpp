#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>

#include "torch/builders.hpp"
#include "torch/differentiate.hpp"

namespace kjoule::runner {

namespace {

/// The sizes of attention on one tensor-parallel device.
struct Heads {
  explicit Heads(const SampleShape& shape)
      : mp(shape[0]), b(shape[1]), h(shape[2]), l(shape[3]), dim(shape.size() > 4 ? shape[4] : 0) {
    check_divisible("h", h, "mp", mp);
    if (shape.size() > 4) {
      check_divisible("dim", dim, "mp", mp);
      check_divisible("dim", dim, "h", h);
    }
  }
  int64_t of_device() const { return h / mp; }
  int64_t width() const { return dim / h; }
  /// Returns the FLOPs of one of the two products (queries by keys, or probabilities by values).
  double flops() const {
    return 2 * static_cast<double>(b * of_device()) * static_cast<double>(l) * static_cast<double>(l) *
           static_cast<double>(width());
  }
  int64_t mp, b, h, l, dim;
};

}  // namespace

Directions queries_by_keys(const SampleShape& shape, const Placement& place) {
  const Heads of(shape);
  const int64_t batch = of.b * of.of_device();
  const at::Tensor q = place.uniform({batch, of.l, of.width()}), k = place.uniform({batch, of.width(), of.l});
  const at::Tensor c = place.empty({batch, of.l, of.l});
  const double read = bytes_of({q, k}), made = bytes_of({c});
  return differentiate([=] { return std::vector<at::Tensor>{at::baddbmm(c, q, k, 0, 1)}; }, {q, k},
                       {of.flops(), read + made}, {2 * of.flops(), 2 * read + made});
}

Directions probabilities_by_values(const SampleShape& shape, const Placement& place) {
  const Heads of(shape);
  const int64_t batch = of.b * of.of_device();
  const at::Tensor p = place.uniform({batch, of.l, of.l}), v = place.uniform({batch, of.l, of.width()});
  const double read = bytes_of({p, v}), made = bytes_of({v});
  return differentiate([=] { return std::vector<at::Tensor>{at::bmm(p, v)}; }, {p, v},
                       {of.flops(), read + made}, {2 * of.flops(), 2 * read + made});
}

Directions softmax(const SampleShape& shape, const Placement& place) {
  const Heads of(shape);
  const at::Tensor x = place.uniform({of.b, of.of_device(), of.l, of.l});
  return differentiate([=] { return std::vector<at::Tensor>{at::softmax(x, -1)}; }, {x},
                       {{}, 2 * bytes_of({x})}, {{}, 3 * bytes_of({x})});
}

/// Fills the mask in place on a view of a product's result, so that backward copies the gradient before it
/// masks it.
Directions fill_mask(const SampleShape& shape, const Placement& place) {
  const Heads of(shape);
  const at::Tensor products = place.uniform({of.b * of.of_device(), of.l, of.l});
  const at::Tensor mask = at::ones({1, 1, of.l, of.l}, place.options.dtype(at::kBool)).triu_(1);
  // A leaf of the autograd graph must not be filled in place. Therefore a copy of it is used as the product's
  // result; it is made before the watch starts.
  struct Scores {
    at::Tensor leaf, base, filled, gradient;
    Stopwatch* watch = nullptr;

    void backward(Stopwatch& timed, bool keep_graph) {
      watch = &timed;
      torch::autograd::grad({filled}, {leaf}, {gradient}, keep_graph);
      watch = nullptr;
    }
  };
  auto scores = std::make_shared<Scores>();
  scores->leaf = products.requires_grad_(true);
  const std::vector<int64_t> sizes{of.b, of.of_device(), of.l, of.l};
  Directions directions;
  const double half = bytes_of({products}) / 2;  // approximate bytes above the diagonal
  directions["forward"] = {
      [scores] {
        const at::AutoGradMode with_graph(true);
        scores->base = scores->leaf.clone();
        Scores* const of_hook =
            scores.get();  // the base and its hook are destroyed before the object `*of_hook`
        scores->base.register_hook([of_hook](const at::Tensor&) {
          if (of_hook->watch != nullptr) of_hook->watch->stop();
        });
      },
      [scores, mask, sizes](Stopwatch& watch) {
        const at::AutoGradMode with_graph(true);
        scores->filled = scores->base.view(sizes);
        watch.start();
        scores->filled.masked_fill_(mask, 0);
        watch.stop();
      },
      {},
      half * static_cast<double>(of.l - 1) / static_cast<double>(of.l)};
  directions["backward"] = {
      [scores] {
        if (!scores->gradient.defined()) scores->gradient = at::rand_like(scores->filled);
        Scores* const of_hook = scores.get();
        scores->filled.register_hook([of_hook](const at::Tensor&) { of_hook->watch->start(); });
      },
      [scores](Stopwatch& watch) {
        scores->backward(watch, false);
        scores->filled = scores->base = at::Tensor();
      },
      {},
      2 * half,
      [scores](Stopwatch& watch) { scores->backward(watch, true); }};
  return directions;
}

}  // namespace kjoule::runner
