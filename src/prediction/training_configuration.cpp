#include "prediction/training_configuration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/files/yaml_file.hpp"
#include "base/text/nearest_names.hpp"
#include "prediction/operator_kind.hpp"

namespace kjoule {

namespace {

constexpr double kMost = 1e12;     ///< largest number of elements and tokens
constexpr double kMostWays = 1e5;  ///< largest number of ranks, layers and micro-batches
constexpr double kMostWatts = 1e5;
/// Largest product of micro-batches and stages, which limits the time to compute a schedule.
constexpr double kMostTasks = 1e6;

const std::vector<std::string> kKeysOfRun = {"gpu_name",         "operator_data_folder",
                                             "nccl_data_folder", "training_config",
                                             "comm_bucket",      "encoders",
                                             "function_list",    "encoder_function_list",
                                             "layernorm_name",   "fwd_syncs",
                                             "bwd_syncs",        "precision",
                                             "recompute",        "power_limit"};

class ConfigurationReader {
 public:
  ConfigurationReader(const YAML::Node& root, const std::string& file, const FindOwnOperator& find_own)
      : root_(root), place_(file), find_own_(find_own) {}

  TrainingConfiguration read() {
    TrainingConfiguration& run = run_;
    place_.check(find_bad_key(root_, kKeysOfRun));
    run.gpu = text("gpu_name");
    run.operator_folder = text("operator_data_folder");
    run.collective_folder = text("nccl_data_folder");
    read_sizes(run);
    run.bucket = number(need("comm_bucket"), "comm_bucket", 1, kMost);
    run.layers = ways(need("encoders"), "encoders", 1);
    // This list is only checked. The prediction uses encoder_function_list and the operators of the end
    // stages.
    operators("function_list");
    run.layer_operators = operators("encoder_function_list");
    run.norm = text("layernorm_name");
    check_operator(need("layernorm_name"), run.norm);
    run.forward_syncs = ways(need("fwd_syncs"), "fwd_syncs", 0);
    run.backward_syncs = ways(need("bwd_syncs"), "bwd_syncs", 0);
    if (root_["precision"]) run.precision = text("precision");
    if (const YAML::Node node = root_["recompute"];
        node && !YAML::convert<bool>::decode(node, run.recomputes))
      place_.fail(node, "recompute is neither true nor false", "write recompute: true or recompute: false");
    if (const YAML::Node node = root_["power_limit"])
      run.power_limit_w = number(node, "power_limit", 1, kMostWatts);
    return std::move(run_);
  }

 private:
  YAML::Node need(const char* key) const {
    const YAML::Node node = root_[key];
    if (!node)
      place_.fail(root_, fmt::format("the key {} is missing", key),
                  "kjoule predict show-example llemma_7b_4_2_2_P shows all keys");
    return node;
  }

  std::string text(const char* key) const {
    const YAML::Node node = need(key);
    if (!node.IsScalar() || node.Scalar().empty())
      place_.fail(node, fmt::format("{} is not a text", key), "write it in quotes");
    return node.Scalar();
  }

  double number(const YAML::Node& node, const std::string& name, double least, double most) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || value != std::floor(value) ||
        !(value >= least && value <= most))
      place_.fail(node, fmt::format("{} is not a whole number from {} to {:g}", name, least, most),
                  "correct the number");
    return value;
  }
  int ways(const YAML::Node& node, const std::string& name, int least) const {
    return static_cast<int>(number(node, name, least, kMostWays));
  }

  void read_sizes(TrainingConfiguration& run) const {
    const YAML::Node list = need("training_config");
    constexpr const char* kNames = "pp, mp, dp, b, h, l, dim, steps_per_update, gpus_per_node";
    if (!list.IsSequence() || list.size() != 9)
      place_.fail(list, fmt::format("training_config has {} numbers instead of 9", list.size()),
                  fmt::format("give {}", kNames));
    run.pipeline = ways(list[0], "pp", 1);
    run.tensor = ways(list[1], "mp", 1);
    run.data = ways(list[2], "dp", 1);
    run.batch = number(list[3], "b", 1, kMostWays);
    run.heads = number(list[4], "h", 1, kMostWays);
    run.tokens = number(list[5], "l", 1, kMost);
    run.width = number(list[6], "dim", 1, kMost);
    run.micro_batches = ways(list[7], "steps_per_update", 1);
    run.gpus_per_node = ways(list[8], "gpus_per_node", 1);
    check_divides(list, "h", run.heads, "dim", run.width);
    check_divides(list, "mp", run.tensor, "h", run.heads);
    check_divides(list, "mp", run.tensor, "dim", run.width);
    if (run.pipeline > 1024) place_.fail(list, "pp is above 1024", "give at most 1024 pipeline stages");
    if (static_cast<double>(run.pipeline) * run.micro_batches > kMostTasks)
      place_.fail(list, fmt::format("pp times steps_per_update is above {:.0f}", kMostTasks),
                  "give smaller numbers");
  }

  void check_divides(const YAML::Node& list, const char* divisor, double by, const char* whole,
                     double size) const {
    if (std::fmod(size, by) != 0)
      place_.fail(list, fmt::format("{} {} cannot be divided by {} {}", whole, size, divisor, by),
                  fmt::format("give a multiple of {} for {}", by, whole));
  }

  std::vector<StepOperator> operators(const char* key) {
    const YAML::Node list = need(key);
    if (!list.IsSequence() || list.size() == 0)
      place_.fail(list, fmt::format("{} is not a list of operators", key),
                  "write for example [linear1, GELU]");
    std::vector<StepOperator> all;
    for (const YAML::Node& node : list) all.push_back(one(node, key));
    return all;
  }

  /// Reads a name, or {name: {column: number, ...}}.
  StepOperator one(const YAML::Node& node, const char* key) {
    YAML::Node name = node, sizes;
    if (node.IsMap() && node.size() == 1) {
      name.reset(node.begin()->first);
      sizes.reset(node.begin()->second);
    }
    if (!name.IsScalar() || !(sizes.IsNull() || sizes.IsMap()))
      place_.fail(node, fmt::format("{} contains an entry that is not an operator", key),
                  "give a name, or {name: {column: number}}");
    const OperatorKind& kind = check_operator(name, name.Scalar());
    StepOperator found{name.Scalar()};
    place_.check(find_repeated_key(sizes));
    for (const auto& size : sizes) {
      const std::string column = size.first.Scalar();
      if (std::find(kind.columns.begin(), kind.columns.end(), column) == kind.columns.end())
        place_.fail(size.first, fmt::format("{} has no {}", kind.name, column),
                    fmt::format("it has {}; did you mean {}?", fmt::join(kind.columns, ", "),
                                nearest_names(column, kind.columns)));
      found.sizes[column] = number(size.second, column, 1, kMost);
    }
    return found;
  }

  const OperatorKind& check_operator(const YAML::Node& node, const std::string& name) {
    if (find_operator_kind(name) == nullptr && !run_.own_operators.contains(name)) {
      auto own = find_own_ ? find_own_(run_.operator_folder, name) : std::nullopt;
      if (!own) fail_unknown(node, name);
      run_.own_operators.emplace(name, std::move(*own));
    }
    return run_.kind_of(name);
  }

  [[noreturn]] void fail_unknown(const YAML::Node& node, const std::string& name) const {
    std::vector<std::string> all;
    for (const OperatorKind& kind : operator_kinds()) all.push_back(kind.name);
    place_.fail(node, fmt::format("{} is not a known operator", name),
                fmt::format("did you mean {}? An operator of your own needs a table and the file {}.yml in "
                            "operator_data_folder (docs/guide/predict.md)",
                            nearest_names(name, all), name));
  }

  const YAML::Node root_;
  YamlFile place_;
  const FindOwnOperator& find_own_;
  TrainingConfiguration run_;
};

}  // namespace

TrainingConfiguration read_training_configuration(std::string_view yaml, const std::string& file,
                                                  const FindOwnOperator& find_own) {
  const YAML::Node root = load_yaml(std::string(yaml), file);
  if (!root.IsMap())
    throw Error(file + ": not a training configuration",
                "kjoule predict show-example llemma_7b_4_2_2_P shows one");
  return ConfigurationReader(root, file, find_own).read();
}

const OperatorKind& TrainingConfiguration::kind_of(const std::string& name) const {
  const auto own = own_operators.find(name);
  if (own != own_operators.end()) return own->second.kind;
  if (const OperatorKind* known = find_operator_kind(name)) return *known;
  throw Error(name + ": this operator is not known",
              "choose an operator that kjoule predict show-example NAME shows");
}

std::vector<double> shape_in(const TrainingConfiguration& run, const StepOperator& called, double layers) {
  const std::map<std::string, double> sizes{{"mp", run.tensor},
                                            {"b", run.batch},
                                            {"h", run.heads},
                                            {"l", run.tokens},
                                            {"dim", run.width},
                                            {"encoders", layers},
                                            {"rows", run.batch * run.tokens}};
  Sizes whole;
  for (const auto& [name, size] : sizes) whole[name] = static_cast<int64_t>(size);
  const auto own = run.own_operators.find(called.name);
  std::vector<double> shape;
  for (const std::string& column : run.kind_of(called.name).columns) {
    std::optional<double> size;
    if (const auto given = called.sizes.find(column); given != called.sizes.end()) size = given->second;
    if (!size && own != run.own_operators.end()) size = own->second.step_size(column, whole);
    if (const auto of_run = sizes.find(column); !size && of_run != sizes.end()) size = of_run->second;
    if (!size)
      throw Error(fmt::format("the training configuration does not state the size {}", column),
                  fmt::format("write the operator as {{name: {{{}: number}}}}", column));
    shape.push_back(*size);
  }
  return shape;
}

}  // namespace kjoule
