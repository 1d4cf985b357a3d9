#include "recording/replay_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/json/dump_json.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;
constexpr double kMostBytes = 1e18;

constexpr int64_t kBytesOfFloat = 4;

int64_t bytes_of_element(const Json& dtype) {
  return dtype.is_string() ? tensor_element_bytes(dtype.get<std::string>()).value_or(kBytesOfFloat)
                           : kBytesOfFloat;
}

/// Returns the bytes that a tensor spans. It is a double, so that extreme sizes in a table do not overflow.
double bytes_of_tensor(const Json& tensor) {
  const auto shape = tensor.at("shape").get<std::vector<int64_t>>();
  const auto strides = tensor.at("strides").get<std::vector<int64_t>>();
  double elements = 1;
  for (size_t i = 0; i < shape.size() && i < strides.size(); ++i) {
    if (shape[i] == 0) return 0;
    elements += static_cast<double>(shape[i] - 1) * static_cast<double>(strides[i]);
  }
  return elements * static_cast<double>(bytes_of_element(tensor.value("dtype", Json())));
}

}  // namespace

std::optional<int64_t> tensor_element_bytes(const std::string& dtype) {
  static const std::map<std::string, int64_t> bytes{{"Float", kBytesOfFloat},
                                                    {"Int", 4},
                                                    {"UInt32", 4},
                                                    {"ComplexHalf", 4},
                                                    {"Double", 8},
                                                    {"Long", 8},
                                                    {"UInt64", 8},
                                                    {"ComplexFloat", 8},
                                                    {"Half", 2},
                                                    {"BFloat16", 2},
                                                    {"Short", 2},
                                                    {"UInt16", 2},
                                                    {"Bool", 1},
                                                    {"Byte", 1},
                                                    {"Char", 1},
                                                    {"ComplexDouble", 16}};
  if (dtype.starts_with("Float8")) return 1;
  const auto found = bytes.find(dtype);
  return found == bytes.end() ? std::nullopt : std::optional(found->second);
}

void describe(FieldWriter& fields, ReplayCall& call) {
  if (auto* op = std::get_if<OperatorCall>(&call)) describe(fields, *op);
  if (auto* copy = std::get_if<MemoryCopy>(&call)) fields("copy", *copy);
  if (auto* set = std::get_if<MemorySet>(&call)) fields("set", *set);
  if (auto* product = std::get_if<MatrixProduct>(&call)) fields("product", *product);
}

void describe(FieldReader& fields, ReplayCall& call) {
  std::optional<MemoryCopy> copy;
  std::optional<MemorySet> set;
  std::optional<MatrixProduct> product;
  fields("copy", copy);
  fields("set", set);
  fields("product", product);
  if (copy) call = *copy;
  if (set) call = *set;
  if (product) call = *product;
  if (!copy && !set && !product) describe(fields, call.emplace<OperatorCall>());
}

int64_t bytes_of(const ReplayCall& call) {
  if (const auto* copy = std::get_if<MemoryCopy>(&call)) return 2 * std::min(copy->bytes, INT64_MAX / 2);
  if (const auto* set = std::get_if<MemorySet>(&call)) return set->bytes;
  if (const auto* product = std::get_if<MatrixProduct>(&call))
    return static_cast<int64_t>(std::min(product->matrix_bytes(), kMostBytes));
  double bytes = 0;
  for_each_tensor(std::get<OperatorCall>(call).arguments,
                  [&](const Json& tensor) { bytes += bytes_of_tensor(tensor); });
  return static_cast<int64_t>(std::min(bytes, kMostBytes));
}

std::set<size_t> calls_to_omit(const std::vector<ReplayCall>& calls, double memory_bytes) {
  std::vector<size_t> order(calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t call) { return bytes_of(calls[call]); });
  std::set<size_t> beyond;
  double bytes = 0;
  for (const size_t call : order) {
    bytes += static_cast<double>(bytes_of(calls[call]));
    if (bytes > memory_bytes) beyond.insert(call);
  }
  return beyond;
}

std::string call_name(const ReplayCall& call) {
  if (const auto* op = std::get_if<OperatorCall>(&call)) return op->name;
  if (const auto* product = std::get_if<MatrixProduct>(&call)) return "cuBLAS " + product->sizes_text();
  const auto* copy = std::get_if<MemoryCopy>(&call);
  if (copy == nullptr) return "memset";
  return fmt::format("memcpy {}to{}", copy->from_host ? 'H' : 'D', copy->to_host ? 'H' : 'D');
}

std::string call_line(const ReplayCall& call) {
  // Names in traces need not be UTF-8.
  return dump_json(write_fields(call));
}

}  // namespace kjoule
