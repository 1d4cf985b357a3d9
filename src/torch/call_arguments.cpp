#include "torch/call_arguments.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"

namespace kjoule::runner {

namespace {

using Json = nlohmann::json;

/// Number of random values that are generated; larger tensors repeat them.
constexpr int64_t kDrawn = 1 << 20;

at::ScalarType type_in(const Json& json) {
  return json.is_null() ? at::kFloat : find_type(json.get<std::string>());
}

bool is_tensor(const Json& json) {
  return json.is_object() && json.contains("tensor");
}

std::vector<int64_t> shape_of(const Json& json) {
  return json.at("tensor").at("shape").get<std::vector<int64_t>>();
}

int64_t size_at(const Json& json, int64_t dim) {
  if (!is_tensor(json)) return 1;
  const std::vector<int64_t> shape = shape_of(json);
  const auto dims = static_cast<int64_t>(shape.size());
  if (dim < 0) dim += dims;
  return dim >= 0 && dim < dims ? shape[static_cast<size_t>(dim)] : 1;
}

int64_t smallest_size(const Json& arguments) {
  int64_t smallest = 128;  // fits into every integer type
  for (const Json& argument : arguments)
    if (is_tensor(argument))
      for (const int64_t size : shape_of(argument)) smallest = std::min(smallest, size);
  return smallest;
}

std::optional<double> real(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_object() && json.contains("double"))
    return std::strtod(json.at("double").get<std::string>().c_str(), nullptr);
  return {};
}

std::optional<c10::Scalar> scalar(const Json& json) {
  if (json.is_boolean()) return c10::Scalar(json.get<bool>());
  if (json.is_number_integer()) return c10::Scalar(json.get<int64_t>());
  if (const auto number = real(json)) return c10::Scalar(*number);
  return {};
}

/// Returns the value as an IValue, or nothing. An implicit conversion would be wrong: an empty optional also
/// converts to an IValue, namely None.
template <class T>
std::optional<c10::IValue> value_of(const std::optional<T>& found) {
  if (!found) return {};
  return c10::IValue(*found);
}

/// Returns the list of the elements, each converted by `one`; nothing if an element cannot be converted. A
/// single value becomes a list with one element.
template <class T, class One>
std::optional<c10::IValue> list(const Json& json, const One& one) {
  c10::List<T> values;
  for (const Json& element : json.is_array() ? json : Json::array({json})) {
    const auto value = one(element);
    if (!value) return {};
    values.push_back(*value);
  }
  return c10::IValue(std::move(values));
}

std::optional<int64_t> whole(const Json& json) {
  return json.is_number_integer() ? std::optional(json.get<int64_t>()) : std::nullopt;
}

std::optional<bool> flag(const Json& json) {
  return json.is_boolean() ? std::optional(json.get<bool>()) : std::nullopt;
}

c10::TypePtr without_optional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

/// Returns whether a number is a value of the enumeration that an argument's type names; other types accept
/// all numbers. Schemas declare enumerations as whole numbers, too, and libtorch does not check that the
/// value exists: it would read beyond its tables. Only types of numbers are accepted, and only the dense
/// layout, because kjoule fills no other tensors.
bool has_value(c10::TypeKind kind, int64_t number) {
  const auto below = [number](auto end) { return number >= 0 && number < static_cast<int64_t>(end); };
  if (kind == c10::TypeKind::LayoutType) return number == static_cast<int64_t>(at::kStrided);
  if (kind == c10::TypeKind::MemoryFormatType) return below(at::MemoryFormat::NumOptions);
  if (kind != c10::TypeKind::ScalarTypeType) return true;
  if (!below(at::ScalarType::NumOptions)) return false;
  const auto type = static_cast<at::ScalarType>(number);
  return at::isFloatingType(type) || at::isComplexType(type) || at::isIntegralType(type, true);
}

std::optional<int64_t> whole_of(const Json& json, const c10::Argument& argument) {
  const auto number = whole(json);
  if (!number || !has_value(without_optional(argument.real_type())->kind(), *number)) return {};
  return number;
}

/// Returns the value of an argument that was not recorded: None for an optional argument, or the schema's
/// default. Returns nothing if the schema has neither.
std::optional<c10::IValue> left_out(const c10::Argument& argument) {
  if (argument.type()->kind() == c10::TypeKind::OptionalType) return c10::IValue();
  if (argument.default_value()) return *argument.default_value();
  return {};
}

/// Returns an undefined tensor for an argument that the program left undefined. Backward operators leave
/// masks undefined that were not given. The first argument cannot be undefined, because an operator chooses
/// its device by a tensor.
std::optional<c10::IValue> undefined(const c10::Argument& argument, size_t place) {
  if (place == 0 || argument.type()->kind() != c10::TypeKind::TensorType) return {};
  return c10::IValue(at::Tensor());
}

/// Returns whether kernels take the square root of the argument or divide by it.
bool must_be_positive(const std::string& argument_name) {
  static const std::set<std::string> names{"running_var", "save_var", "save_invstd", "rstd",
                                           "var",         "invstd",   "exp_avg_sqs", "max_exp_avg_sqs"};
  return names.contains(argument_name);
}

/// Returns whether the argument is the state of a random generator: a single integer that seeds the random
/// numbers of dropout.
bool is_random_state(const std::string& argument_name) {
  static const std::set<std::string> names{"philox_seed", "philox_offset", "rng_state", "unused"};
  return names.contains(argument_name);
}

/// Returns whether the tensor was a number in Python code, which libtorch wraps into a tensor on the CPU.
bool is_wrapped_number(const Json& json, const Json& arguments) {
  const Json& type = json.at("tensor").at("dtype");
  if (!shape_of(json).empty() || (type != "Double" && type != "Long")) return false;
  return std::any_of(arguments.begin(), arguments.end(), [&](const Json& other) {
    return is_tensor(other) && !shape_of(other).empty() && other.at("tensor").at("dtype") != type;
  });
}

}  // namespace

at::ScalarType find_type(const std::string& name) {
  for (int8_t i = 0; i < static_cast<int8_t>(at::ScalarType::NumOptions); ++i)
    if (name == c10::toString(static_cast<at::ScalarType>(i))) return static_cast<at::ScalarType>(i);
  throw Error("tensors of type " + name + " are not known to this libtorch");
}

int64_t index_limit(const std::string& operator_name, const Json& arguments, size_t argument,
                    size_t element) {
  const std::string name = operator_name.substr(0, operator_name.find('.'));
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
  };
  const auto number = [&](size_t place) {
    return place < arguments.size() && arguments[place].is_number_integer() ? arguments[place].get<int64_t>()
                                                                            : int64_t{0};
  };
  if (argument > 0 && is({"aten::embedding", "aten::embedding_renorm_"})) return size_at(arguments[0], 0);
  if (is({"aten::embedding_dense_backward", "aten::embedding_backward"})) return number(2);
  if (argument > 1 && is({"aten::index_select", "aten::gather", "aten::scatter", "aten::scatter_",
                          "aten::scatter_add", "aten::scatter_add_", "aten::index_add", "aten::index_add_",
                          "aten::index_copy", "aten::index_copy_", "aten::index_fill", "aten::index_fill_"}))
    return size_at(arguments[0], number(1));
  if (argument == 1 && is({"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_",
                           "aten::_unsafe_index", "aten::_unsafe_index_put"}))
    return size_at(arguments[0], static_cast<int64_t>(element));
  if (is({"aten::nll_loss_forward", "aten::nll_loss2d_forward", "aten::nll_loss_nd"}))
    return size_at(arguments[0], 1);
  if (arguments.size() > 1 && is({"aten::nll_loss_backward", "aten::nll_loss2d_backward"}))
    return size_at(arguments[1], 1);
  return smallest_size(arguments);
}

CallArguments::CallArguments(c10::Device device, uint64_t seed)
    : device_(device), generator_(at::detail::createCPUGenerator(seed)) {}

std::optional<torch::jit::Stack> CallArguments::make_stack(const c10::FunctionSchema& schema,
                                                           const Json& arguments) {
  if (arguments.size() > schema.arguments().size()) return {};
  torch::jit::Stack stack;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    auto made = value(schema, arguments, i);
    if (!made) return {};
    stack.push_back(std::move(*made));
  }
  return stack;
}

std::optional<c10::IValue> CallArguments::value(const c10::FunctionSchema& schema, const Json& arguments,
                                                size_t place) {
  const c10::Argument& argument = schema.arguments()[place];
  if (place >= arguments.size()) return left_out(argument);
  if (arguments[place].is_null()) {
    auto nothing = left_out(argument);
    return nothing ? nothing : undefined(argument, place);
  }
  const Json& json = arguments[place];
  const c10::TypePtr type = without_optional(argument.type());
  const auto as_tensor = [&](const Json& one, size_t element) -> std::optional<at::Tensor> {
    if (!is_tensor(one)) return {};
    if (!is_random_state(argument.name()) && is_wrapped_number(one, arguments)) return number(one);
    return tensor(one, {index_limit(schema.name(), arguments, place, element),
                        must_be_positive(argument.name()), argument.name() == "weight"});
  };
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return value_of(as_tensor(json, 0));
    case c10::TypeKind::NumberType:
      return value_of(scalar(json));
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return value_of(whole_of(json, argument));
    case c10::TypeKind::FloatType:
      return value_of(real(json));
    case c10::TypeKind::BoolType:
      return value_of(flag(json));
    case c10::TypeKind::StringType:
      if (!json.is_string()) return {};
      return c10::IValue(json.get<std::string>());
    case c10::TypeKind::DeviceObjType:
      return c10::IValue(device_);
    case c10::TypeKind::ListType:
      break;
    default:
      return {};
  }
  const c10::TypePtr element = type->expectRef<c10::ListType>().getElementType();
  size_t at = 0;
  switch (element->kind()) {
    case c10::TypeKind::TensorType:
      if (!json.is_array()) return {};
      return list<at::Tensor>(json, [&](const Json& one) { return as_tensor(one, at++); });
    case c10::TypeKind::OptionalType:
      if (!json.is_array()) return {};
      return list<std::optional<at::Tensor>>(
          json, [&](const Json& one) -> std::optional<std::optional<at::Tensor>> {
            std::optional<at::Tensor> made = as_tensor(one, at++);
            if (!made && !one.is_null()) return {};
            return {std::move(made)};
          });
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return list<int64_t>(json, whole);
    case c10::TypeKind::FloatType:
      return list<double>(json, real);
    case c10::TypeKind::BoolType:
      return list<bool>(json, flag);
    case c10::TypeKind::NumberType:
      return list<c10::Scalar>(json, scalar);
    default:
      return {};
  }
}

at::Tensor CallArguments::number(const Json& json) {
  at::Tensor number = at::ones({}, at::TensorOptions().dtype(type_in(json.at("tensor").at("dtype"))));
  number.unsafeGetTensorImpl()->set_wrapped_number(true);
  return number;
}

at::Tensor CallArguments::tensor(const Json& json, const Values& values) {
  const std::vector<int64_t> shape = shape_of(json);
  const auto strides = json.at("tensor").at("strides").get<std::vector<int64_t>>();
  int64_t elements = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) elements = 0;
    if (elements > 0) elements += (shape[i] - 1) * strides.at(i);
  }
  at::Tensor flat = at::empty(
      {elements}, at::TensorOptions().dtype(type_in(json.at("tensor").at("dtype"))).device(device_));
  const double inputs =
      shape.size() > 1 && shape[0] > 0 ? static_cast<double>(elements) / static_cast<double>(shape[0]) : 1;
  fill(flat, values, inputs);
  return flat.as_strided(shape, strides);
}

void CallArguments::fill(at::Tensor& flat, const Values& values, double inputs) {
  const int64_t all = flat.numel();
  if (all == 0) return;
  const int64_t drawn = std::min(all, kDrawn);
  at::Tensor part;
  if (at::isFloatingType(flat.scalar_type()) || at::isComplexType(flat.scalar_type())) {
    part = at::randn({drawn}, generator_, at::TensorOptions().dtype(at::kFloat));
    if (values.positive) part.abs_().add_(0.5);
    if (values.are_weights && inputs > 1) part.div_(std::sqrt(inputs));
  } else {
    const int64_t limit = flat.scalar_type() == at::kBool ? 2 : std::max<int64_t>(1, values.limit);
    part = at::randint(limit, {drawn}, generator_, at::TensorOptions().dtype(at::kLong));
  }
  part = part.to(flat.options());
  for (int64_t from = 0; from < all; from += drawn) {
    const int64_t length = std::min(drawn, all - from);
    flat.narrow(0, from, length).copy_(part.narrow(0, 0, length));
  }
}

}  // namespace kjoule::runner
