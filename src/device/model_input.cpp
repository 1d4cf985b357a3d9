#include "device/model_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers/checked_count.hpp"
#include "base/text/parse_number.hpp"
#include "recording/dimension_limit.hpp"

namespace kjoule {

namespace {

constexpr const char* kInputForm = "write TYPE:SIZExSIZE[:LOW..HIGH], for example int64:1x5:0..1000";

struct InputType {
  std::string_view name;
  /// Smallest and largest integer; equal for types of real numbers, whose values are normally distributed.
  int64_t least = 0, most = 0;
};

constexpr std::array<InputType, 8> kInputTypes{
    {{"float32"},
     {"float16"},
     {"bfloat16"},
     {"float64"},
     {"int64", std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()},
     {"int32", std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()},
     {"bool", 0, 1},
     {"uint8", 0, std::numeric_limits<uint8_t>::max()}}};

const InputType& input_type(const std::string& name, const std::string& text) {
  const auto found = std::find_if(kInputTypes.begin(), kInputTypes.end(),
                                  [&](const InputType& type) { return type.name == name; });
  if (found == kInputTypes.end())
    throw Error(text + ": the type of the input is not known",
                "use float32, float16, bfloat16, float64, int64, int32, bool or uint8");
  return *found;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<int64_t> shape_of(const std::string& sizes, const std::string& text) {
  std::vector<int64_t> shape;
  for (const std::string& size : split(sizes, 'x')) {
    const auto number = parse_whole_number(size);
    if (!number || *number < 1)
      throw Error(text + ": a size of the input is not a whole number from 1", kInputForm);
    shape.push_back(*number);
  }
  check_shape(shape, text);
  return shape;
}

std::pair<int64_t, int64_t> range_of(const std::string& range, const InputType& type,
                                     const std::string& text) {
  const size_t dots = range.find("..");
  const auto low = parse_whole_number(range.substr(0, dots));
  const auto high = dots == std::string::npos ? std::nullopt : parse_whole_number(range.substr(dots + 2));
  if (!low || !high) throw Error(text + ": the range is not of the form LOW..HIGH", kInputForm);
  if (type.least == type.most)
    throw Error(text + ": only inputs of integers and bools have a range", "omit it, or use int64");
  if (*low >= *high)
    throw Error(text + ": the range is empty, because HIGH is the first integer above it",
                "give a HIGH above LOW");
  if (*low < type.least || *high - 1 > type.most)
    throw Error(fmt::format("{}: {} has only integers from {} to {}", text, type.name, type.least, type.most),
                "give a smaller range, or another type");
  return {*low, *high};
}

/// Returns the member of an object; null if it is absent.
const nlohmann::json& member(const nlohmann::json& object, const char* key) {
  static const nlohmann::json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

template <class Holds>
bool is_list(const nlohmann::json& json, const Holds& holds) {
  return json.is_array() && std::all_of(json.begin(), json.end(), holds);
}

void need(bool holds, const std::string& otherwise) {
  if (!holds) throw Error(otherwise);
}

/// Checks an input of a model's description. `where` names the input.
void check_described_input(const nlohmann::json& input, const std::string& where) {
  need(input.is_object(), where + ": not an object");
  const auto is_text = [](const nlohmann::json& one) { return one.is_string(); };
  const auto is_size = [](const nlohmann::json& one) { return one.is_number_integer(); };
  const auto is_dim = [](const nlohmann::json& one) { return one.is_string() || one.is_null(); };
  const nlohmann::json &name = member(input, "name"), &type = member(input, "dtype"),
                       &shape = member(input, "shape"), &dims = member(input, "dims");
  need(name.is_null() || is_text(name), where + ".name: not a text");
  need(is_text(type), where + ".dtype: not a text");
  need(is_list(shape, is_size), where + ".shape: not a list of whole numbers");
  need(dims.is_null() || is_list(dims, is_dim), where + ".dims: not a list of names");
  need(dims.is_null() || dims.size() == shape.size(), where + ".dims: not one name for each size");
  const InputType& known = input_type(type, where + ".dtype");
  check_shape(shape, where + ".shape");
  if (known.least == known.most) return;
  const nlohmann::json &low = member(input, "low"), &high = member(input, "high");
  need((low.is_null() || is_size(low)) && (high.is_null() || is_size(high)),
       where + ".low, high: not whole numbers");
  if (low.is_null() || high.is_null()) return;
  need(low.get<int64_t>() < high.get<int64_t>(), where + ".high: not above low");
  need(low.get<int64_t>() >= known.least && high.get<int64_t>() - 1 <= known.most,
       where + ".low, high: outside the range of the type");
}

}  // namespace

void check_model_description(const nlohmann::json& description) {
  need(description.is_object(), "not an object");
  const nlohmann::json &training = member(description, "training"), &baked = member(description, "baked"),
                       &inputs = member(description, "inputs");
  need(training.is_null() || training.is_boolean(), "training: neither true nor false");
  need(baked.is_null() || is_list(baked, [](const nlohmann::json& one) { return one.is_string(); }),
       "baked: not a list of names");
  if (inputs.is_null()) return;
  need(inputs.is_array(), "inputs: not a list");
  for (size_t i = 0; i < inputs.size(); ++i) check_described_input(inputs[i], fmt::format("inputs/{}", i));
}

ModelInput parse_model_input(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3)
    throw Error(text + ": this is not the description of an input", kInputForm);
  const InputType& type = input_type(parts[0], text);
  ModelInput input{parts[0], shape_of(parts[1], text)};
  if (parts.size() == 3) input.range = range_of(parts[2], type, text);
  return input;
}

void check_shape(const std::vector<int64_t>& shape, const std::string& what) {
  if (shape.size() > kDimensionLimit)
    throw Error(fmt::format("{}: the input has {} dimensions, more than {}, the dimension limit", what,
                            shape.size(), kDimensionLimit),
                "give fewer sizes");
  int64_t elements = 1;
  for (const int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements) || elements > kLargestCount)
      throw Error(what + ": the sizes of the input are negative, or their product is above 2^60",
                  "give smaller sizes");
}

}  // namespace kjoule
