#include "torch/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"

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

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Parses an input of --input: "int64:1x5:0..1000" (type, shape, range).
nlohmann::json parse_input(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  try {
    if (parts.size() < 2 || parts.size() > 3) throw std::invalid_argument(text);
    nlohmann::json input{{"name", "input"}, {"dtype", parts[0]}, {"dims", nlohmann::json::array()}};
    scalar_type(parts[0]);
    for (const std::string& size : split(parts[1], 'x')) input["shape"].push_back(std::stoll(size));
    if (parts.size() == 3) {
      const size_t dots = parts[2].find("..");
      if (dots == std::string::npos) throw std::invalid_argument(text);
      input["low"] = std::stoll(parts[2].substr(0, dots));
      input["high"] = std::stoll(parts[2].substr(dots + 2));
    }
    return input;
  } catch (const std::logic_error&) {
    throw Error("--input " + text + ": this is not the description of an input",
                "write TYPE:SIZExSIZE[:LOW..HIGH], for example int64:1x5:0..1000");
  }
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
    for (size_t d = 0; d < input.at("dims").size(); ++d) {
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
    for (const std::string& text : work.inputs) inputs.push_back(parse_input(text));
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
