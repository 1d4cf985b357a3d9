#include "importers/omitted_lists.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace kjoule {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kAccumulates = "\"torch::autograd::AccumulateGrad\"";

/// The contents of a list argument of a fused optimizer.
enum class List {
  parameters,
  if_maximum,   ///< one tensor per parameter if amsgrad is set
  if_momentum,  ///< one tensor per parameter if momentum is not 0
  steps         ///< one number per parameter
};

struct Optimizer {
  std::string_view name;
  std::vector<List> lists;  ///< contents of its first arguments, in order
  /// Index of the argument (amsgrad, momentum) that decides whether the optional list is empty.
  size_t decides;
};

/// Returns the optimizer with a name, or null. Source: ATen's native_functions.yaml, PyTorch 2.1 to 2.11.
const Optimizer* find_optimizer(const std::string& name) {
  using enum List;
  static const std::array<Optimizer, 4> all = {
      {{"aten::_fused_adam_", {parameters, parameters, parameters, parameters, if_maximum, steps}, 11},
       {"aten::_fused_adamw_", {parameters, parameters, parameters, parameters, if_maximum, steps}, 11},
       {"aten::_fused_sgd_", {parameters, parameters, if_momentum}, 4},
       {"aten::_fused_adagrad_", {parameters, parameters, parameters, steps}, 0}}};
  const auto found = std::ranges::find(all, name, &Optimizer::name);
  return found == all.end() ? nullptr : &*found;
}

Json raw_json(std::string_view raw) {
  return raw.empty() ? Json() : Json::parse(raw, nullptr, false);
}

/// Returns the gradients that were accumulated since the previous call of the same operator, sorted by time.
/// (A trace contains one thread after another, and gradients come from a separate thread.) Returns none if
/// the step consists of several calls, one for each group of parameters: then the gradients of each call are
/// not known.
std::vector<const ProfilerOperator*> gradients_before(const ProfilerTrace& trace, uint32_t which) {
  const ProfilerOperator& step = trace.operators[which];
  int64_t from_ns = std::numeric_limits<int64_t>::min();
  std::optional<int64_t> next_ns;
  for (const ProfilerOperator& op : trace.operators) {
    if (op.name != step.name || &op == &step) continue;
    if (op.begin_ns <= step.begin_ns) from_ns = std::max(from_ns, op.begin_ns);
    if (op.begin_ns > step.begin_ns) next_ns = std::min(next_ns.value_or(op.begin_ns), op.begin_ns);
  }
  std::vector<const ProfilerOperator*> gradients;
  bool others_before_next = !next_ns;
  for (const ProfilerOperator& op : trace.operators) {
    if (op.name != kAccumulates) continue;
    if (op.begin_ns > from_ns && op.begin_ns < step.begin_ns) gradients.push_back(&op);
    if (next_ns && op.begin_ns > step.begin_ns && op.begin_ns < *next_ns) others_before_next = true;
  }
  if (!others_before_next) return {};
  std::ranges::stable_sort(gradients, {}, &ProfilerOperator::begin_ns);
  return gradients;
}

/// Returns the sizes or strides (`part`) of all parameters in the optimizer's order, or no value if a
/// gradient lacks them.
std::optional<Json> parameter_parts(const std::vector<const ProfilerOperator*>& gradients,
                                    std::string_view ProfilerOperator::*part) {
  Json all = Json::array();
  for (auto gradient = gradients.rbegin(); gradient != gradients.rend(); ++gradient) {
    const Json inputs = raw_json((*gradient)->*part);
    if (!inputs.is_array() || inputs.empty() || !inputs.front().is_array()) return {};
    all.push_back(inputs.front());
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

bool is_empty_list(const Json& list) {
  return list.is_array() && list.empty();
}

/// Returns whether the operator has the arguments that fill_list() needs, and all its lists are empty.
bool lacks_lists(const LaunchingOperator& by, const Optimizer& optimizer) {
  const size_t needed = std::max(optimizer.lists.size(), optimizer.decides + 1);
  if (!by.input_dims.is_array() || by.input_dims.size() < needed) return false;
  if (!by.concrete_inputs.is_array() || by.concrete_inputs.size() < needed) return false;
  return std::all_of(by.input_dims.begin(),
                     by.input_dims.begin() + static_cast<std::ptrdiff_t>(optimizer.lists.size()),
                     is_empty_list);
}

/// Returns the sizes or strides of a list: `parameters`, an empty entry (a number) for each parameter, or no
/// entry if the argument `decides` switches the list off.
Json fill_list(List list, const Json& parameters, const Json& decides) {
  const bool off = decides == "False" || decides == "0" || decides == "0." || decides == "0.0";
  if (list == List::steps) return Json(parameters.size(), Json::array());
  if (off && list != List::parameters) return Json::array();
  return parameters;
}

}  // namespace

void restore_omitted_lists(const ProfilerTrace& trace, uint32_t which, LaunchingOperator& by) {
  const Optimizer* optimizer = find_optimizer(by.name);
  if (optimizer == nullptr || !lacks_lists(by, *optimizer)) return;
  const auto gradients = gradients_before(trace, which);
  const auto sizes = parameter_parts(gradients, &ProfilerOperator::input_dims);
  if (!sizes) return;
  const auto strides = parameter_parts(gradients, &ProfilerOperator::input_strides);
  for (size_t i = 0; i < optimizer->lists.size(); ++i) {
    const Json& decides = by.concrete_inputs[optimizer->decides];
    by.input_dims[i] = fill_list(optimizer->lists[i], *sizes, decides);
    if (strides && by.input_strides.is_array() && i < by.input_strides.size())
      by.input_strides[i] = fill_list(optimizer->lists[i], *strides, decides);
  }
  if (!strides) by.input_strides = nullptr;
}

}  // namespace kjoule
