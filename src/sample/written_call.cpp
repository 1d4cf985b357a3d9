#include "sample/written_call.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/error.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

class Arguments {
 public:
  explicit Arguments(const std::string& file) : file_(file) {}

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
    if (node.Tag() == "!") return node.Scalar();  // quoted
    if (YAML::convert<bool>::decode(node, flag)) return flag;
    if (YAML::convert<int64_t>::decode(node, whole)) return whole;
    if (YAML::convert<double>::decode(node, real)) return {{"double", node.Scalar()}};
    return {{"formula", node.Scalar()}};
  }

 private:
  Json tensor(const YAML::Node& node) const {
    Json made = Json::object();
    for (const auto& field : node) {
      const std::string name = field.first.Scalar();
      if (name == "tensor" && field.second.IsSequence()) {
        made["sizes"] = Json::array();
        for (const YAML::Node& size : field.second) made["sizes"].push_back(size.Scalar());
      } else if (name == "dtype" && field.second.IsScalar()) {
        made["dtype"] = field.second.Scalar();
      } else {
        fail(field.first, name + " is no field of a tensor");
      }
    }
    if (!made.contains("sizes")) fail(node, "an argument has no tensor: its list of sizes");
    return made;
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& cause) const {
    throw Error(fmt::format("{}:{}: arguments: {}", file_, node.Mark().line + 1, cause),
                "write {tensor: [SIZES], dtype: Long}; dtype may be left out");
  }

  const std::string& file_;
};

Json worked_out(const Json& written, const Sizes& sizes, const std::string& dtype) {
  if (written.is_array()) {
    Json list = Json::array();
    for (const Json& one : written) list.push_back(worked_out(one, sizes, dtype));
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
      throw Error("a tensor is larger than any memory");
  }
  return {{"tensor",
           {{"dtype", written.value("dtype", dtype)},
            {"shape", std::move(shape)},
            {"strides", std::move(strides)}}}};
}

}  // namespace

WrittenCall written_call(const std::string& name, const YAML::Node& arguments, const std::string& file) {
  if (!arguments.IsSequence())
    throw Error(fmt::format("{}:{}: arguments: no list", file, arguments.Mark().line + 1));
  return {name, Arguments(file).json_of(arguments)};
}

OperatorCall call_with_sizes(const WrittenCall& written, const Sizes& sizes, const std::string& dtype) {
  return {written.name, worked_out(written.arguments, sizes, dtype)};
}

}  // namespace kjoule
