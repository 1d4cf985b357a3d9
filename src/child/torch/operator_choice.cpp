#include "operator_choice.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace kjoule::child {

namespace {

bool holds_mask(const c10::IValue& list) {
  if (!list.isList()) return false;
  const c10::List<c10::IValue> values = list.toList();
  return std::any_of(values.begin(), values.end(), [](const c10::IValue& value) {
    return value.isTensor() && at::isIntegralType(value.toTensor().scalar_type(), true) &&
           value.toTensor().element_size() == 1;
  });
}

/// What work it makes depends on what stands in its tensors, which is not known. Indexing says so whatever it
/// is given, but only masks (of one byte) are counted.
bool depends_on_values(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  if (!op.hasTag(at::Tag::dynamic_output_shape)) return false;
  return op.schema().name() != "aten::index" || holds_mask(arguments.at(1));
}

/// All overloads of "aten::add", or the one that is named.
std::vector<c10::OperatorHandle> overloads(const std::string& name) {
  auto& dispatcher = c10::Dispatcher::singleton();
  std::vector<c10::OperatorName> names;
  for (const c10::OperatorName& known : dispatcher.getAllOpNames()) {
    if (known.name + '.' + known.overload_name == name)
      return {dispatcher.findSchemaOrThrow(known.name.c_str(), known.overload_name.c_str())};
    if (known.name == name) names.push_back(known);
  }
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.overload_name < b.overload_name; });
  std::vector<c10::OperatorHandle> handles;
  for (const c10::OperatorName& one : names)
    handles.push_back(dispatcher.findSchemaOrThrow(one.name.c_str(), one.overload_name.c_str()));
  return handles;
}

}  // namespace

/// Traces name no overloads: it is the one with as many arguments, or else with more that have defaults,
/// which all fit.
ChosenOperator choose_operator(const OperatorCall& call, CallArguments& arguments) {
  std::vector<c10::OperatorHandle> candidates = overloads(call.name);
  if (candidates.empty())
    throw Error(call.name + " is no operator of this libtorch",
                "kernels compiled for one program cannot be called");
  const auto exact = [&](const c10::OperatorHandle& op) {
    return op.schema().arguments().size() == call.arguments.size();
  };
  std::stable_partition(candidates.begin(), candidates.end(), exact);
  for (const c10::OperatorHandle& op : candidates) {
    auto stack = arguments.fitting(op.schema(), call.arguments);
    if (!stack) continue;
    if (depends_on_values(op, *stack))
      throw Error(call.name + ": how much it does depends on the values in its tensors",
                  "record the program");
    return {op, std::move(*stack)};
  }
  throw Error(fmt::format("no overload of {} takes these {} arguments", call.name, call.arguments.size()),
              "the trace may come from another version of PyTorch");
}

}  // namespace kjoule::child
