#include "torch/operator_choice.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/version.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/text/nearest_names.hpp"

namespace kjoule::runner {

namespace {

constexpr size_t kReportedOverloads = 3;

bool contains_mask(const c10::IValue& list) {
  if (!list.isList()) return false;
  const c10::List<c10::IValue> values = list.toList();
  return std::any_of(values.begin(), values.end(), [](const c10::IValue& value) {
    return value.isTensor() && at::isIntegralType(value.toTensor().scalar_type(), true) &&
           value.toTensor().element_size() == 1;
  });
}

/// Returns whether the amount of work depends on the values in the tensors, which are unknown. libtorch marks
/// all indexing by tensors in this way; here it counts only for masks (tensors with elements of one byte).
bool depends_on_values(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  if (!op.hasTag(at::Tag::dynamic_output_shape)) return false;
  return op.schema().name() != "aten::index" || contains_mask(arguments.at(1));
}

/// Returns whether libtorch would divide by the size 0 of a tensor, which ends the process. Other operators
/// with such a fault are not listed; networks and traces need this one.
bool divides_by_size_0(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  if (op.schema().name() != "aten::scaled_dot_product_attention") return false;
  return std::any_of(arguments.begin(), arguments.end(), [](const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() && value.toTensor().numel() == 0;
  });
}

/// Returns all overloads of "aten::add", or the one overload that the name contains.
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

/// Returns the most similar operator names. If no name is similar, the result is empty: the operator then
/// belongs to another library or to a compiled program, and is not misspelt.
std::string nearest_operators(const std::string& name) {
  const std::string full = name.find("::") == std::string::npos ? "aten::" + name : name;
  const bool names_overload = name.find('.') != std::string::npos;
  std::set<std::string> names;  // a set, because names without overloads occur many times
  for (const c10::OperatorName& known : c10::Dispatcher::singleton().getAllOpNames())
    names.insert(names_overload ? known.name + '.' + known.overload_name : known.name);
  const std::string nearest = nearest_names(full, {names.begin(), names.end()});
  const bool near = edit_distance(full, nearest.substr(0, nearest.find(','))) <= full.size() / 4;
  return near ? nearest : "";
}

Error unknown_operator(const std::string& name) {
  const std::string nearest = nearest_operators(name);
  return Error(fmt::format("{} is not a known operator of this libtorch ({})", name, TORCH_VERSION),
               nearest.empty() ? "kjoule cannot call operators of other libraries or of compiled programs"
                               : fmt::format("did you mean {}?", nearest));
}

/// Returns the Error that no overload accepts the arguments, with the schemas of the first overloads.
Error unfit(const OperatorCall& call, const std::vector<c10::OperatorHandle>& candidates) {
  std::vector<std::string> schemas;
  for (const c10::OperatorHandle& op : candidates) {
    if (schemas.size() == kReportedOverloads) break;
    // An overload that writes to a tensor of the caller.
    if (op.schema().overload_name().ends_with("out")) continue;
    std::ostringstream schema;
    schema << op.schema();
    schemas.push_back(schema.str());
  }
  return Error(fmt::format("no overload of {} in this libtorch ({}) takes these {} arguments", call.name,
                           TORCH_VERSION, call.arguments.size()),
               fmt::format("give the arguments of its schema: {}", fmt::join(schemas, " or ")));
}

}  // namespace

/// Overloads with exactly as many arguments as the call are tried first, because traces do not name
/// overloads. After them come overloads with further arguments that have defaults. The first overload that
/// fits is used.
ChosenOperator choose_operator(const OperatorCall& call, CallArguments& arguments,
                               const CallableOperators& callable) {
  std::vector<c10::OperatorHandle> candidates = overloads(call.name);
  if (candidates.empty()) throw unknown_operator(call.name);
  // The name in the schema is checked, because a call may spell it differently.
  if (const std::string& name = candidates.front().schema().name(); !callable.contain(name))
    throw Error(name + " is not in kjoule's list of operators that an input file may call",
                "if you trust the file, allow it with --allow-operator " + name);
  const auto exact = [&](const c10::OperatorHandle& op) {
    return op.schema().arguments().size() == call.arguments.size();
  };
  std::stable_partition(candidates.begin(), candidates.end(), exact);
  for (const c10::OperatorHandle& op : candidates) {
    auto stack = arguments.make_stack(op.schema(), call.arguments);
    if (!stack) continue;
    if (divides_by_size_0(op, *stack))
      throw Error(call.name + ": a tensor has no elements", "give tensors whose sizes are at least 1");
    if (depends_on_values(op, *stack))
      throw Error(call.name + ": its amount of work depends on the values in its tensors",
                  "time it in the program that computes them: kjoule compare -- PROGRAM");
    return {op, std::move(*stack)};
  }
  throw unfit(call, candidates);
}

}  // namespace kjoule::runner
