#include "sampling/call_template.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files/yaml_file.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

class ArgumentReader {
 public:
  explicit ArgumentReader(const std::string& file) : place_(file) {}

  Json json_of(const YAML::Node& node) const {
    if (node.IsNull()) return nullptr;
    if (node.IsMap()) return tensor(node);
    if (node.IsSequence()) {
      Json list = Json::array();
      for (const YAML::Node& one : node) list.push_back(json_of(one));
      return list;
    }
    bool flag = false;
    double real = 0;
    int64_t whole = 0;
    if (node.Tag() == "!") return node.Scalar();  // a quoted value is text
    if (YAML::convert<bool>::decode(node, flag)) return flag;
    if (YAML::convert<int64_t>::decode(node, whole)) return whole;
    if (YAML::convert<double>::decode(node, real)) return {{"double", node.Scalar()}};
    return {{"formula", node.Scalar()}};
  }

 private:
  Json tensor(const YAML::Node& node) const {
    if (const auto bad = find_bad_key(node, {"tensor", "dtype"})) fail(bad->key, bad->cause, bad->remedy);
    const std::string form = "write {tensor: [SIZES], dtype: Long}; dtype may be omitted";
    const YAML::Node sizes = node["tensor"], dtype = node["dtype"];
    if (!sizes) fail(node, "an entry in braces lacks the key tensor with a list of sizes", form);
    const auto is_scalar = [](const YAML::Node& size) { return size.IsScalar(); };
    if (!sizes.IsSequence() || !std::all_of(sizes.begin(), sizes.end(), is_scalar))
      fail(sizes, "the value of tensor is not a list of sizes", form);
    Json made{{"sizes", Json::array()}};
    for (const YAML::Node& size : sizes) made["sizes"].push_back(size.Scalar());
    if (dtype && !dtype.IsScalar()) fail(dtype, "the value of dtype is not the name of a type", form);
    if (dtype) made["dtype"] = dtype.Scalar();
    return made;
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& cause, const std::string& remedy) const {
    place_.fail(node, "arguments: " + cause, remedy);
  }

  YamlFile place_;
};

Json evaluate_arguments(const Json& written, const Sizes& sizes, const std::string& dtype) {
  if (written.is_array()) {
    Json list = Json::array();
    for (const Json& one : written) list.push_back(evaluate_arguments(one, sizes, dtype));
    return list;
  }
  if (!written.is_object()) return written;
  if (written.contains("formula")) {
    const auto formula = written.at("formula").get<std::string>();
    return evaluate(formula, sizes);
  }
  if (!written.contains("sizes")) return written;
  Json shape = Json::array(), strides = Json::array();
  for (const Json& size : written.at("sizes")) shape.push_back(evaluate(size.get<std::string>(), sizes));
  int64_t stride = 1;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    strides.insert(strides.begin(), stride);
    if (__builtin_mul_overflow(stride, std::max<int64_t>(1, size->get<int64_t>()), &stride))
      throw Error("a tensor in the operator's arguments has 2^63 elements or more",
                  "correct the formulas of its sizes, or use a smaller shape");
  }
  return {{"tensor",
           {{"dtype", written.value("dtype", dtype)},
            {"shape", std::move(shape)},
            {"strides", std::move(strides)}}}};
}

}  // namespace

CallTemplate read_call_template(const std::string& name, const YAML::Node& arguments,
                                const std::string& file) {
  if (!arguments.IsSequence())
    throw Error(fmt::format("{}:{}: the field arguments is not a list", file, arguments.Mark().line + 1),
                "write arguments: [FIRST, SECOND, ..]");
  return {name, ArgumentReader(file).json_of(arguments)};
}

OperatorCall evaluate_call(const CallTemplate& written, const Sizes& sizes, const std::string& dtype) {
  return {written.name, evaluate_arguments(written.arguments, sizes, dtype)};
}

}  // namespace kjoule
