#include "torch/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "device/model_input.hpp"

namespace kjoule::runner {

namespace {

const std::vector<std::pair<std::string, at::ScalarType>> kTypes{
    {"float32", at::kFloat}, {"float16", at::kHalf}, {"bfloat16", at::kBFloat16}, {"float64", at::kDouble},
    {"int64", at::kLong},    {"int32", at::kInt},    {"bool", at::kBool},         {"uint8", at::kByte}};

at::ScalarType scalar_type(const std::string& name) {
  for (const auto& [known, type] : kTypes)
    if (known == name) return type;
  throw Error("input type \"" + name + "\" is not known",
              "use float32, float16, bfloat16, int64, int32 or bool");
}

/// Converts an input of --input to the form in which a model's file describes its inputs.
nlohmann::json described_input(const std::string& text) {
  const ModelInput parsed = parse_model_input(text);
  nlohmann::json input{
      {"name", "input"}, {"dtype", parsed.type}, {"dims", nlohmann::json::array()}, {"shape", parsed.shape}};
  if (parsed.range) {
    input["low"] = parsed.range->first;
    input["high"] = parsed.range->second;
  }
  return input;
}

bool baked_in(const nlohmann::json& metadata, const std::string& dim) {
  const nlohmann::json baked = metadata.value("baked", nlohmann::json::array());
  return std::find(baked.begin(), baked.end(), dim) != baked.end();
}

/// Sets the dimension named `dim` in every input that has it to a size.
void resize(nlohmann::json& inputs, const nlohmann::json& metadata, const std::string& dim,
            const std::string& option, int64_t size) {
  bool found = false;
  for (auto& input : inputs)
    for (size_t d = 0; d < input["dims"].size(); ++d) {  // null, without elements, if there are none
      if (input["dims"][d] != dim) continue;
      found = true;
      const auto exported = input["shape"][d].get<int64_t>();
      if (size != exported && baked_in(metadata, dim))
        throw Error(
            fmt::format("the model was traced with {} {} and cannot run with {}", option, exported, size),
            fmt::format("export it again with {} {}", option, size));
      input["shape"][d] = size;
    }
  if (!found) throw Error("the model has no input whose size is set by " + option, "omit the option");
}

}  // namespace

nlohmann::json choose_inputs(const nlohmann::json& metadata, const ModelWork& work) {
  nlohmann::json inputs = nlohmann::json::array();
  if (!work.inputs.empty()) {
    for (const std::string& text : work.inputs) inputs.push_back(described_input(text));
    return inputs;
  }
  if (!metadata.contains("inputs"))
    throw Error(work.path + ": the file does not describe its inputs",
                "describe each input, for example with --input int64:1x5:0..1000");
  inputs = metadata.at("inputs");
  if (work.seq_len) resize(inputs, metadata, "seq_len", "--seq-len", *work.seq_len);
  if (work.batch) resize(inputs, metadata, "batch", "--batch", *work.batch);
  return inputs;
}

std::vector<at::Tensor> make_inputs(const nlohmann::json& inputs, uint64_t seed, c10::Device device) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  std::vector<at::Tensor> tensors;
  for (const auto& input : inputs) {
    const auto shape = input.at("shape").get<std::vector<int64_t>>();
    check_shape(shape, input.value("name", "input"));
    const at::ScalarType type = scalar_type(input.at("dtype").get<std::string>());
    if (c10::isIntegralType(type, true)) {
      const int64_t low = input.contains("low") && input["low"].is_number() ? input["low"].get<int64_t>() : 0;
      const int64_t high =
          input.contains("high") && input["high"].is_number() ? input["high"].get<int64_t>() : 2;
      tensors.push_back(
          at::randint(low, high, shape, generator, at::TensorOptions(at::kLong)).to(device, type));
    } else {
      tensors.push_back(at::randn(shape, generator, at::TensorOptions(at::kFloat)).to(device, type));
    }
  }
  return tensors;
}

}  // namespace kjoule::runner
