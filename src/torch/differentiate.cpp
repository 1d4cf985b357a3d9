#include "torch/differentiate.hpp"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

namespace kjoule::runner {

namespace {

/// The autograd graph, which exists from a forward until the backward that consumes it.
struct Graph {
  std::function<std::vector<at::Tensor>()> make;
  std::vector<at::Tensor> inputs, outputs, gradients;
  Stopwatch* watch = nullptr;  ///< watch of the running backward; null if none runs

  void forward(Stopwatch& timed) {
    outputs.clear();
    const at::AutoGradMode with_graph(true);
    timed.start();
    outputs = make();
    timed.stop();
  }

  void prepare_backward() {
    if (gradients.empty())
      for (const at::Tensor& output : outputs) gradients.push_back(at::rand_like(output));
    for (const at::Tensor& output : outputs)
      output.register_hook([this](const at::Tensor&) { watch->start(); });
  }

  void backward(Stopwatch& timed) {
    differentiate(timed, false);
    outputs.clear();
  }

  void backward_and_keep(Stopwatch& timed) { differentiate(timed, true); }

  void differentiate(Stopwatch& timed, bool keep_graph) {
    watch = &timed;
    const auto made =
        torch::autograd::grad(outputs, inputs, gradients, keep_graph, false, /*allow_unused=*/true);
    watch = nullptr;
  }
};

}  // namespace

Directions differentiate(std::function<std::vector<at::Tensor>()> make, std::vector<at::Tensor> inputs,
                         const KnownWork& forward, const KnownWork& backward) {
  auto graph = std::make_shared<Graph>();
  graph->make = std::move(make);
  graph->inputs = std::move(inputs);
  for (at::Tensor& input : graph->inputs) {
    input.requires_grad_(true);
    // The hook has a weak pointer to the graph, because the graph owns the tensor that owns the hook.
    input.register_hook([of = std::weak_ptr<Graph>(graph)](const at::Tensor&) {
      const auto alive = of.lock();
      if (alive && alive->watch != nullptr) alive->watch->stop();
    });
  }
  Directions directions;
  directions["forward"] = {
      {}, [graph](Stopwatch& watch) { graph->forward(watch); }, forward.flops, forward.least_bytes};
  directions["backward"] = {
      [graph] { graph->prepare_backward(); }, [graph](Stopwatch& watch) { graph->backward(watch); },
      backward.flops, backward.least_bytes, [graph](Stopwatch& watch) { graph->backward_and_keep(watch); }};
  return directions;
}

}  // namespace kjoule::runner
