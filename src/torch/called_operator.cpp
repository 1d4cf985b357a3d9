#include "torch/called_operator.hpp"

#include <utility>

#include "torch/differentiate.hpp"
#include "torch/operator_choice.hpp"

namespace kjoule::runner {

namespace {

/// Returns the defined tensors among the values, including those in lists.
std::vector<at::Tensor> tensors_in(const torch::jit::Stack& values) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) tensors.push_back(value.toTensor());
    if (value.isTensorList())
      for (const at::Tensor& one : value.toTensorVector()) tensors.push_back(one);
  }
  return tensors;
}

bool is_differentiable(const at::Tensor& tensor) {
  return at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type());
}

}  // namespace

Directions make_called_operator(const OperatorCall& call, const CallableOperators& callable,
                                c10::Device device, bool wants_backward) {
  CallArguments made(device, 0);
  const ChosenOperator chosen = choose_operator(call, made, callable);
  const std::vector<at::Tensor> tensors = tensors_in(chosen.arguments);
  const auto run = [chosen] {
    torch::jit::Stack stack = chosen.arguments;
    chosen.handle.callBoxed(stack);
    return tensors_in(stack);
  };
  if (!wants_backward) {
    Directions directions;
    directions["forward"] = {{},
                             [run](Stopwatch& watch) {
                               watch.start();
                               const std::vector<at::Tensor> kept = run();
                               watch.stop();
                             },
                             {},
                             {}};
    return directions;
  }
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& tensor : tensors)
    if (is_differentiable(tensor)) inputs.push_back(tensor);
  const auto make = [run, name = call.name] {
    std::vector<at::Tensor> outputs;
    for (const at::Tensor& output : run())
      if (output.requires_grad()) outputs.push_back(output);
    if (outputs.empty())
      throw Error(name + " has no backward pass, whose time the configuration requests",
                  "remove B_dur(us) from columns_name in the configuration");
    return outputs;
  };
  // The schema does not state how many bytes an operator must read and write at least.
  return differentiate(make, inputs, {}, {});
}

}  // namespace kjoule::runner
