#include "prediction/own_operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files/operator_files.hpp"
#include "base/files/yaml_file.hpp"

namespace kjoule {

namespace {

class OwnOperatorReader {
 public:
  OwnOperatorReader(const YAML::Node& root, const std::string& file) : root_(root), place_(file) {}

  OwnOperator read() const {
    place_.check(find_repeated_key(root_));
    const std::vector<std::string> columns = columns_of_sizes();
    OwnOperator made{kind(columns), {}};
    add_parameters(made.kind);
    if (const YAML::Node node = root_["step_shape"]) made.step_shape = step_shape(node, columns);
    return made;
  }

 private:
  YAML::Node need(const char* key) const {
    const YAML::Node node = root_[key];
    if (!node)
      place_.fail(root_, fmt::format("{}: this field is missing", key),
                  "docs/guide/predict.md describes an operator of your own");
    return node;
  }

  std::vector<std::string> texts(const YAML::Node& list, const char* key) const {
    std::vector<std::string> all;
    if (!list.IsSequence())
      place_.fail(list, fmt::format("{}: the value is not a list", key), "write [FIRST, ..]");
    for (const YAML::Node& one : list) all.push_back(text(one, key));
    return all;
  }
  std::string text(const YAML::Node& node, const char* key) const {
    if (!node.IsScalar())
      place_.fail(node, fmt::format("{}: contains a value that is not a text", key),
                  "write texts or numbers");
    return node.Scalar();
  }

  /// Returns the columns before the times.
  std::vector<std::string> columns_of_sizes() const {
    std::vector<std::string> columns = texts(need("columns_name"), "columns_name");
    const auto is_time = [](const std::string& name) { return name.ends_with("(us)"); };
    columns.erase(std::find_if(columns.begin(), columns.end(), is_time), columns.end());
    return columns;
  }

  OperatorKind kind(const std::vector<std::string>& columns) const {
    const std::string name = text(need("kernel_name"), "kernel_name");
    const YAML::Node features = root_["features"];
    const auto given = features ? texts(features, "features") : columns;
    try {
      OperatorKind kind = make_operator_kind(name, columns, given);
      return features ? kind : make_operator_kind(name, columns);
    } catch (const Error& error) {
      place_.fail(features ? features : root_, std::string("features: ") + error.what(), error.remedy());
    }
  }

  /// Adds the formula of the key parameters to the work of the operator.
  void add_parameters(OperatorKind& kind) const {
    const YAML::Node node = root_["parameters"];
    if (!node) return;
    const auto value = [columns = kind.columns,
                        formula = text(node, "parameters")](const std::vector<double>& shape) {
      RealSizes sizes;
      for (size_t c = 0; c < columns.size(); ++c) sizes[columns[c]] = shape[c];
      return evaluate_real(formula, sizes);
    };
    try {
      value(std::vector<double>(kind.columns.size(), 1));
    } catch (const Error& error) {
      place_.fail(node, std::string("parameters: ") + error.what(), error.remedy());
    }
    kind.work = [work = kind.work, value, name = kind.name](const std::vector<double>& shape) {
      constexpr double kMost = 1e15;
      OperatorWork all = work(shape);
      all.parameters = value(shape);
      if (!(all.parameters >= 0 && all.parameters <= kMost))
        throw Error(fmt::format("{}: the number of parameters is {:g} for the shape {}", name, all.parameters,
                                fmt::join(shape, " ")),
                    "change the formula parameters, so that its value is from 0 to 1e15");
      return all;
    };
  }

  std::map<std::string, std::string> step_shape(const YAML::Node& node,
                                                const std::vector<std::string>& columns) const {
    if (!node.IsMap())
      place_.fail(node, "step_shape: the value is not a map of columns", "write {COLUMN: FORMULA, ..}");
    place_.check(find_bad_key(node, columns));
    std::map<std::string, std::string> formulas;
    RealSizes sizes;
    for (const std::string& name : step_size_names()) sizes[name] = 1;
    for (const auto& one : node) {
      const std::string formula = text(one.second, "step_shape");
      try {
        evaluate_real(formula, sizes);  // throws Error if the text is not a formula
      } catch (const Error& error) {
        place_.fail(one.second, std::string("step_shape: ") + error.what(), error.remedy());
      }
      formulas[one.first.Scalar()] = formula;
    }
    return formulas;
  }

  const YAML::Node root_;
  YamlFile place_;
};

}  // namespace

const std::vector<std::string>& step_size_names() {
  static const std::vector<std::string> names{"mp", "b", "h", "l", "dim", "encoders", "rows"};
  return names;
}

std::optional<double> OwnOperator::step_size(const std::string& column, const Sizes& sizes) const {
  const auto formula = step_shape.find(column);
  if (formula == step_shape.end()) return {};
  try {
    return static_cast<double>(evaluate(formula->second, sizes));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: step_shape: {}: {}", kind.name, column, error.what()), error.remedy());
  }
}

std::optional<OwnOperator> read_own_operator(const std::string& yaml, const std::string& file) {
  const YAML::Node root = load_yaml(yaml, file);
  if (!root.IsMap()) return {};
  YamlFile(file).check(find_bad_key(root, kOperatorFields));
  if (!(root["features"] || root["step_shape"] || root["parameters"])) return {};
  return OwnOperatorReader(root, file).read();
}

}  // namespace kjoule
