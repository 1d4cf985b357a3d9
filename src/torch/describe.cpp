#include "torch/describe.hpp"

#include <fmt/format.h>

#include "recording/signature.hpp"

namespace kjoule::runner {

namespace {

std::string dtype_name(const at::Tensor& tensor) {
  return c10::toString(tensor.scalar_type());
}

std::string sizes_text(at::IntArrayRef sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) text += std::to_string(size) + ',';
  if (text.back() == ',') text.pop_back();
  return text + ']';
}

std::string value_text(const c10::IValue& value) {
  if (value.isNone()) return "-";
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.defined()) return "-";
    if (tensor.layout() != at::kStrided) return dtype_name(tensor) + sizes_text(tensor.sizes());
    return dtype_name(tensor) + sizes_text(tensor.sizes()) + sizes_text(tensor.strides());
  }
  if (value.isInt()) return fmt::format("{}", value.toInt());
  if (value.isDouble()) return fmt::format("{}", value.toDouble());
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isString()) return '"' + value.toStringRef() + '"';
  if (value.isDevice()) return value.toDevice().str();
  if (value.isList()) {
    std::string text = "(";
    for (const c10::IValue& element : value.toListRef()) text += value_text(element) + ' ';
    return text + ')';
  }
  return value.tagKind();
}

nlohmann::json tensor_json(const at::Tensor& tensor, Ids& ids) {
  if (!tensor.defined()) return nullptr;
  nlohmann::json json{{"value", ids.of(tensor.unsafeGetTensorImpl())},
                      {"dtype", dtype_name(tensor)},
                      {"shape", tensor.sizes().vec()}};
  if (tensor.layout() != at::kStrided) return {{"tensor", json}};
  json["strides"] = tensor.strides().vec();
  if (tensor.has_storage()) {
    json["storage"] = ids.of(tensor.storage().unsafeGetStorageImpl());
    json["offset"] = tensor.storage_offset();
  }
  return {{"tensor", json}};
}

nlohmann::json value_json(const c10::IValue& value, Ids& ids) {
  if (value.isTensor()) return tensor_json(value.toTensor(), ids);
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return {{"double", fmt::format("{}", value.toDouble())}};
  if (value.isBool()) return value.toBool();
  if (value.isString()) return value.toStringRef();
  if (value.isList()) {
    nlohmann::json list = nlohmann::json::array();
    for (const c10::IValue& element : value.toListRef()) list.push_back(value_json(element, ids));
    return list;
  }
  if (value.isNone()) return nullptr;
  return value_text(value);
}

}  // namespace

std::string operator_name(const c10::OperatorHandle& op) {
  const auto& overload = op.schema().overload_name();
  return overload.empty() ? op.schema().name() : op.schema().name() + '.' + overload;
}

std::string signature_of(const c10::OperatorHandle& op, const torch::jit::Stack& arguments) {
  std::vector<std::string> texts;
  for (const c10::IValue& argument : arguments) texts.push_back(value_text(argument));
  return operator_signature(operator_name(op), texts);
}

nlohmann::json describe_call(const c10::OperatorHandle& op, const torch::jit::Stack& arguments,
                             const torch::jit::Stack& results, Ids& ids) {
  nlohmann::json detail{{"operator", operator_name(op)}};
  for (const c10::IValue& argument : arguments) detail["arguments"].push_back(value_json(argument, ids));
  for (const c10::IValue& result : results) detail["outputs"].push_back(value_json(result, ids));
  return detail;
}

Tier tier_of(const c10::OperatorHandle& op, KernelRules& rules) {
  const KernelClass* is = rules.find(operator_name(op));
  return is == nullptr ? Tier::framework : is->tier;
}

}  // namespace kjoule::runner
