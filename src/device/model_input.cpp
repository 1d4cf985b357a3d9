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

}  // namespace

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
