#include "importers/profiled_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "importers/torch_types.hpp"
#include "recording/dimension_limit.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

/// An argument of an operator.
struct ArgumentPlace {
  std::string_view name;  ///< of the operator
  size_t place;           ///< index among its arguments
};

/// The arguments that are lists of index tensors, in which each tensor may be absent (Tensor?[]). Source:
/// ATen's native_functions.yaml, PyTorch 2.1 to 2.11.
constexpr std::array<ArgumentPlace, 9> kIndexLists = {{{"aten::index", 1},
                                                       {"aten::index_put", 1},
                                                       {"aten::index_put_", 1},
                                                       {"aten::_index_put_impl", 1},
                                                       {"aten::_index_put_impl_", 1},
                                                       {"aten::_unsafe_index", 1},
                                                       {"aten::_unsafe_index_put", 1},
                                                       {"aten::_unsafe_masked_index", 2},
                                                       {"aten::_unsafe_masked_index_put_accumulate", 2}}};

bool is_index_list(const std::string& operator_name, size_t place) {
  return std::ranges::any_of(kIndexLists, [&](const ArgumentPlace& list) {
    return list.name == operator_name && list.place == place;
  });
}

/// Returns the Error for a trace without certain tensors. `lack` is the cause, and `omitted` names the
/// contents of the lists that the profiler omits.
Error omitted_error(const std::string& lack, const char* omitted) {
  return Error(fmt::format("{}: PyTorch's profiler omits lists of {}", lack, omitted),
               "measure the program itself with kjoule compare -- PROGRAM");
}

/// Upper limit of a tensor's dimension; such a tensor exceeds any memory.
constexpr int64_t kLargestSize = int64_t{1} << 44;

bool is_shape(const Json& json) {
  if (!json.is_array() || json.size() > kDimensionLimit) return false;
  return std::all_of(json.begin(), json.end(), [](const Json& size) {
    return size.is_number_integer() && size >= 0 && size <= kLargestSize;
  });
}

/// Returns any JSON as short text for errors.
std::string short_text(const Json& json) {
  return dump_json(json).substr(0, 80);
}

}  // namespace

Json contiguous_strides(const Json& shape) {
  Json strides = Json::array();
  int64_t stride = 1;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    strides.insert(strides.begin(), stride);
    if (__builtin_mul_overflow(stride, std::max<int64_t>(1, size->get<int64_t>()), &stride))
      throw Error("a tensor in the file with these sizes exceeds any memory: " + short_text(shape));
  }
  return strides;
}

namespace {

void check_dimensions(const Json& shape) {
  if (shape.is_array() && shape.size() > kDimensionLimit)
    throw Error(fmt::format("a tensor in the file has {} dimensions (dimension limit: {})", shape.size(),
                            kDimensionLimit));
}

Json tensor(const Json& dtype, const Json& shape, const Json* strides) {
  check_dimensions(shape);
  if (!is_shape(shape))
    throw Error("the sizes of a tensor in the file are not whole numbers: " + short_text(shape));
  Json json{{"dtype", dtype}, {"shape", shape}};
  // Traces of older profilers have no strides.
  json["strides"] = strides == nullptr ? contiguous_strides(shape) : *strides;
  if (!is_shape(json["strides"]) || json["strides"].size() != shape.size())
    throw Error("the strides of a tensor in the file do not match its sizes: " + short_text(json));
  return {{"tensor", std::move(json)}};
}

/// Throws Error if a tensor in recorded arguments has no valid description. The arguments may have been
/// written by hand.
void check_recorded(const Json& value) {
  if (value.is_array())
    for (const Json& element : value) check_recorded(element);
  if (!value.is_object() || !value.contains("tensor")) return;
  const Json& tensor = value.at("tensor");
  if (tensor.is_object()) check_dimensions(tensor.value("shape", Json()));
  const bool whole = tensor.is_object() && is_shape(tensor.value("shape", Json())) &&
                     is_shape(tensor.value("strides", Json())) &&
                     tensor["shape"].size() == tensor["strides"].size() &&
                     (!tensor.contains("dtype") || tensor["dtype"].is_string() || tensor["dtype"].is_null());
  if (!whole)
    throw Error("a tensor in \"arguments\" has no valid \"shape\", \"strides\" or \"dtype\": " +
                short_text(tensor));
}

/// Returns one scalar from the profiler's text: "2", "0.5", "True", "-inf".
Json scalar(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  Json number = Json::parse(text, nullptr, false);
  if (number.is_number_integer()) return number;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    throw Error("a scalar in the trace (Concrete Inputs) is not a number: " + text);
  return {{"double", text}};
}

/// Returns the scalars of a list such as "[1, 2]".
Json scalars(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    throw Error("a list of scalars in the trace (Concrete Inputs) is not in brackets: " + text);
  Json list = Json::array();
  for (size_t begin = 1; begin < text.size() - 1;) {
    const size_t end = std::min(text.find(',', begin), text.size() - 1);
    const size_t first = text.find_first_not_of(' ', begin);
    list.push_back(scalar(text.substr(first, end - first)));
    begin = end + 1;
  }
  return list;
}

/// The arguments of an operator, read from the profiler's parallel lists: sizes, strides, types and scalars.
class ProfiledArguments {
 public:
  explicit ProfiledArguments(const LaunchingOperator& by) : by_(by) {
    for (const Json* list : {&by.input_dims, &by.input_strides, &by.input_types, &by.concrete_inputs})
      if (!list->is_null() && (!list->is_array() || list->size() != by.input_dims.size()))
        throw Error(fmt::format(
            "{}: its input sizes, strides, types and scalars in the trace are not lists of the same length",
            by.name));
  }

  Json argument(size_t i) const {
    const std::string type = text(by_.input_types, i);
    const bool may_be_list = type.empty() || type == "TensorList";
    if (may_be_list && is_index_list(by_.name, i)) return indices(i);
    if (type.empty()) return nullptr;
    if (type == "Scalar") return scalar(concrete(i));
    if (type == "ScalarList") return scalars(concrete(i));
    const Json& dims = by_.input_dims[i];
    const Json* strides = strides_of(i);
    if (type == "TensorList") return tensors(nullptr, dims, strides);
    const auto known = torch_type_named(type);
    if (!known) throw Error(fmt::format("kjoule cannot create arguments of type {}", type));
    return tensor(*known, dims, strides);
  }

 private:
  static std::string text(const Json& list, size_t i) {
    return list[i].is_string() ? list[i].get<std::string>() : std::string();
  }

  std::string concrete(size_t i) const {
    if (by_.concrete_inputs.is_null())
      throw Error("the trace does not contain the operator's scalars (Concrete Inputs)",
                  "profile with PyTorch 2.1 or later and record_shapes=True");
    return text(by_.concrete_inputs, i);
  }

  /// Returns the strides of an argument's tensors, or null if the trace has none.
  const Json* strides_of(size_t i) const {
    return by_.input_strides.is_null() ? nullptr : &by_.input_strides[i];
  }

  /// Returns a list of index tensors. Throws Error if the profiler omitted their sizes: PyTorch's profiler
  /// writes such a list as an argument without type and sizes.
  Json indices(size_t i) const {
    if (by_.input_dims[i].empty())
      throw omitted_error(fmt::format("the trace lacks the index tensors of {}", by_.name),
                          "optional tensors");
    return tensors("Long", by_.input_dims[i], strides_of(i));
  }

  static Json tensors(const Json& dtype, const Json& shapes, const Json* strides) {
    if (!shapes.is_array() ||
        (strides != nullptr && (!strides->is_array() || strides->size() != shapes.size())))
      throw Error("a list of tensors in the trace has no sizes");
    Json list = Json::array();
    for (size_t i = 0; i < shapes.size(); ++i)
      list.push_back(tensor(dtype, shapes[i], strides == nullptr ? nullptr : &(*strides)[i]));
    return list;
  }

  const LaunchingOperator& by_;
};

bool contains_tensor(const Json& value) {
  if (value.is_array()) return std::any_of(value.begin(), value.end(), contains_tensor);
  return value.is_object() && value.contains("tensor");
}

/// Returns whether the profiler omitted the operator's lists. PyTorch's profiler writes a list of more than
/// 30 tensors as an empty list.
bool omits_lists(const LaunchingOperator& by, const Json& arguments) {
  const bool lists = std::any_of(by.input_types.begin(), by.input_types.end(),
                                 [](const Json& type) { return type == "TensorList"; });
  return lists && !contains_tensor(arguments);
}

}  // namespace

OperatorCall make_operator_call(const LaunchingOperator& by) {
  if (by.name.empty())
    throw Error(
        "the operator that launched it is unknown",
        "supply operators and shapes from another file with --like TRACE or --model M; torch.profiler "
        "records them with ProfilerActivity.CPU");
  if (!by.arguments.is_null()) {
    if (!by.arguments.is_array())
      throw Error(by.name + ": the \"arguments\" of this operator are not a list",
                  "write them as docs/reference/formats.md describes");
    check_recorded(by.arguments);
    return {by.name, by.arguments};
  }
  if (!by.has_shapes())
    throw Error(fmt::format("the input shapes of {} are unknown: record_shapes was off", by.name),
                "profile with record_shapes=True");
  if (by.input_types.is_null())
    throw Error(fmt::format("the shapes of {}'s inputs are known, but not their types", by.name),
                "add input_types to the table, or profile with record_shapes=True");
  const ProfiledArguments profiled(by);
  OperatorCall call{by.name};
  for (size_t i = 0; i < by.input_dims.size(); ++i) call.arguments.push_back(profiled.argument(i));
  if (omits_lists(by, call.arguments))
    throw omitted_error(fmt::format("the trace lacks the tensors of {}", by.name), "more than 30 tensors");
  return call;
}

}  // namespace kjoule
