#include "layers/network_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/files/yaml_file.hpp"
#include "base/numbers/checked_count.hpp"
#include "layers/layer_kinds.hpp"
#include "recording/dimension_limit.hpp"

namespace kjoule {

namespace {

constexpr const char* kLayerForm = "write for example {name: fc, kind: matmul, M: 2, K: 3, N: 4}";
constexpr const char* kLayersForm =
    "write layers: and below it entries such as - {name: fc, kind: matmul, M: 2, K: 3, N: 4}";
constexpr int64_t kMostLayers = 100000;
/// Number of bytes, above the size of caches, that the copies of a repeated block access together, if the
/// block is repeated often enough.
constexpr int64_t kTouched = int64_t{128} << 20;
constexpr int64_t kFewestCopies = 2;  ///< with two copies, each block follows a block of the same kind

/// The fields of one layer's map. It keeps which fields were read, so that a misspelt field is reported.
class YamlFields final : public LayerFields {
 public:
  YamlFields(const YAML::Node& node, const Sizes& sizes) : node_(node), sizes_(sizes) {}

  int64_t whole(const std::string& field) const override {
    const auto given = whole_if_given(field);
    if (!given) fail_missing(field);
    return *given;
  }
  std::optional<int64_t> whole_if_given(const std::string& field) const override {
    const YAML::Node node = take(field);
    if (node) return formula(node, field);
    // A missing batch is taken from the network's sizes.
    const auto size = sizes_.find(field);
    return size == sizes_.end() || field != "batch" ? std::nullopt : std::optional(size->second);
  }
  bool flag(const std::string& field) const override {
    const YAML::Node node = take(field);
    if (!node) return false;
    bool value = false;
    if (!YAML::convert<bool>::decode(node, value))
      throw Error(field + " is neither true nor false", fmt::format("write {}: true, or omit it", field));
    return value;
  }
  std::vector<int64_t> shape(const std::string& field) const override {
    const auto given = shape_if_given(field);
    if (!given) fail_missing(field);
    return *given;
  }
  std::optional<std::vector<int64_t>> shape_if_given(const std::string& field) const override {
    const YAML::Node node = take(field);
    if (!node) return {};
    return shape_of(node, field);
  }
  std::vector<std::vector<int64_t>> shapes(const std::string& field) const override {
    const YAML::Node node = take(field);
    if (!node) fail_missing(field);
    if (!node.IsSequence() || node.size() == 0)
      throw Error(field + " is not a list of shapes", fmt::format("write {}: [[2, 3], [2, 4]]", field));
    std::vector<std::vector<int64_t>> all;
    for (const YAML::Node& one : node) all.push_back(shape_of(one, field));
    return all;
  }
  std::string text(const std::string& field) const override {
    const YAML::Node node = take(field);
    if (!node) fail_missing(field);
    if (!node.IsScalar()) throw Error("the field " + field + " is not a text", "write one text");
    return node.Scalar();
  }
  nlohmann::json value(const std::string& field) const override {
    const YAML::Node node = take(field);
    if (!node) fail_missing(field);
    return json_of(node, field);
  }

  /// Returns the first field that was not read; no value if all were.
  std::optional<BadKey> unknown() const {
    return find_bad_key(node_, {read_fields_.begin(), read_fields_.end()});
  }

 private:
  YAML::Node take(const std::string& field) const {
    read_fields_.insert(field);
    return node_[field];
  }
  [[noreturn]] static void fail_missing(const std::string& field) {
    throw Error("the field " + field + " is missing",
                "docs/reference/formats.md lists the fields of each kind");
  }
  int64_t formula(const YAML::Node& node, const std::string& field) const {
    if (!node.IsScalar())
      throw Error(field + " is not a number", "write a whole number, or a formula such as 3*batch");
    try {
      return evaluate(node.Scalar(), sizes_);
    } catch (const Error& error) {
      throw Error(fmt::format("{} {}", field, error.what()), error.remedy());
    }
  }
  std::vector<int64_t> shape_of(const YAML::Node& node, const std::string& field) const {
    if (!node.IsSequence())
      throw Error(field + " is not a list of sizes", "write a list such as [2, 3*batch]");
    if (node.size() > kDimensionLimit)
      throw Error(fmt::format("{} has {} sizes (dimension limit: {})", field, node.size(), kDimensionLimit));
    std::vector<int64_t> sizes;
    for (const YAML::Node& size : node)
      if (sizes.push_back(formula(size, field)); sizes.back() < 1)
        throw Error(fmt::format("{} contains the size {}", field, sizes.back()), "give sizes of at least 1");
    return sizes;
  }
  /// Converts a value to JSON: whole numbers and formulas to integers, true and false to booleans, other
  /// scalars to themselves. Maps describe tensors.
  nlohmann::json json_of(const YAML::Node& node, const std::string& field) const {
    if (node.IsNull()) return nullptr;
    if (node.IsSequence()) {
      nlohmann::json list = nlohmann::json::array();
      for (const YAML::Node& one : node) list.push_back(json_of(one, field));
      return list;
    }
    if (node.IsMap()) {
      if (const auto bad = find_bad_key(node, {"tensor", "dtype", "previous"}))
        throw Error(field + ": " + bad->cause, bad->remedy);
      nlohmann::json map = nlohmann::json::object();
      for (const auto& one : node) map[one.first.Scalar()] = json_of(one.second, field);
      return map;
    }
    bool flag = false;
    double real = 0;
    int64_t negative = 0;
    if (node.Tag() == "!") return node.Scalar();  // quoted text
    if (YAML::convert<bool>::decode(node, flag)) return flag;
    try {
      return evaluate(node.Scalar(), sizes_);
    } catch (const Error&) {
    }
    if (YAML::convert<int64_t>::decode(node, negative)) return negative;
    if (YAML::convert<double>::decode(node, real)) return {{"double", node.Scalar()}};
    return node.Scalar();
  }

  const YAML::Node node_;
  const Sizes& sizes_;
  mutable std::set<std::string> read_fields_{"name", "kind"};
};

class LayerReader {
 public:
  LayerReader(const YamlFile& place, const Sizes& sizes, const std::string& dtype)
      : place_(place), sizes_(sizes), dtype_(dtype) {}

  void read_layers(const YAML::Node& list, std::vector<Layer>& layers) const {
    if (!list.IsSequence() || list.size() == 0)
      place_.fail(list, "\"layers\" is not a list with at least one layer", kLayersForm);
    for (const YAML::Node& entry : list) {
      if (!entry.IsMap()) place_.fail(entry, "this layer is not a map of fields", kLayerForm);
      place_.check(entry["repeat"] ? find_bad_key(entry, {"repeat", "layers"}) : find_repeated_key(entry));
      if (entry["repeat"])
        repeat(entry, layers);
      else
        layers.push_back(layer(entry));
      if (layers.size() > kMostLayers) fail_many(entry);
    }
  }

 private:
  void repeat(const YAML::Node& entry, std::vector<Layer>& layers) const {
    std::vector<Layer> block;
    if (!entry["layers"])
      place_.fail(entry, "this block with \"repeat\" has no \"layers\"",
                  "write {repeat: 2, layers: [{name: act, kind: relu, shape: [2, 3]}]}");
    read_layers(entry["layers"], block);
    int64_t times = 0;
    try {
      times = evaluate(entry["repeat"].IsScalar() ? entry["repeat"].Scalar() : "", sizes_);
    } catch (const Error& error) {
      place_.fail(entry, fmt::format("repeat {}", error.what()), error.remedy());
    }
    if (times < 1)
      place_.fail(entry["repeat"], fmt::format("repeat is {}, but must be at least 1", times), "correct it");
    if (times > kMostLayers) fail_many(entry);
    const int64_t copies = copies_of(block, times);
    if (copies > kMostLayers / std::max<int64_t>(1, std::ssize(block)))  // before memory is used for them
      fail_many(entry);
    for (int64_t i = 0; i < copies; ++i) {
      // The last copy represents the repetitions that are not run, too.
      const int64_t stands_for = i + 1 < copies ? 1 : times - copies + 1;
      for (Layer layer : block) {
        layer.count = repeated(entry, layer.count, stands_for);
        layers.push_back(std::move(layer));
      }
    }
  }

  int64_t repeated(const YAML::Node& entry, int64_t count, int64_t times) const {
    try {
      return checked_product({count, times});
    } catch (const Error& error) {
      place_.fail(entry, fmt::format("repeat: {}", error.what()), error.remedy());
    }
  }

  [[noreturn]] void fail_many(const YAML::Node& entry) const {
    place_.fail(entry, fmt::format("the network has more than {} layers", kMostLayers),
                "give fewer layers, or a smaller repeat");
  }

  static int64_t copies_of(const std::vector<Layer>& block, int64_t times) {
    int64_t bytes = 1;
    for (const Layer& layer : block) bytes = std::min(kTouched, bytes + layer.bytes);
    return std::min(times, std::max(kFewestCopies, (kTouched + bytes - 1) / bytes));
  }

  Layer layer(const YAML::Node& entry) const {
    const YAML::Node name = entry["name"], kind = entry["kind"];
    if (!name || !name.IsScalar() || name.Scalar().empty())
      place_.fail(entry, "this layer has no name", kLayerForm);
    if (!kind || !kind.IsScalar())
      place_.fail(entry, fmt::format("layer {} has no kind", name.Scalar()),
                  fmt::format("the known kinds are {}", fmt::join(layer_kinds(), ", ")));
    const YamlFields fields(entry, sizes_);
    Layer made;
    try {
      made = make_layer(kind.Scalar(), fields, dtype_);
    } catch (const Error& error) {
      place_.fail(entry, fmt::format("layer {}: {}", name.Scalar(), error.what()), error.remedy());
    }
    if (const auto other = fields.unknown())
      place_.fail(other->key,
                  fmt::format("layer {}: {} is not a field of kind {}", name.Scalar(), other->key.Scalar(),
                              kind.Scalar()),
                  other->remedy);
    made.name = name.Scalar();
    check_name(entry, made);
    return made;
  }

  /// Throws Error when two different layers have the same name, because reports identify layers by name.
  void check_name(const YAML::Node& entry, const Layer& made) const {
    const auto [known, is_new] = named_.try_emplace(made.name, made, entry.Mark().line + 1);
    const auto& [other, line] = known->second;
    if (!is_new && !other.same_work(made))
      place_.fail(
          entry,
          fmt::format("layer {}: calls other work ({}) than the layer of the same name in line {} ({})",
                      made.name, made.call.name, line, other.call.name),
          "give one of them another name");
  }

  const YamlFile& place_;
  const Sizes& sizes_;
  const std::string& dtype_;
  /// The first layer of each name, and its line.
  mutable std::map<std::string, std::pair<Layer, int>> named_;
};

YAML::Node parse_network(const std::string& yaml, const std::string& file) {
  YAML::Node root = load_yaml(yaml, file);
  if (!root.IsMap())
    throw Error(file + ":1: this file does not describe a network: it is not a map of name, sizes and layers",
                "docs/reference/formats.md describes the format");
  return root;
}

Sizes sizes_in(const YAML::Node& root, const YamlFile& place) {
  Sizes sizes;
  const YAML::Node given = root["sizes"];
  if (given && !given.IsMap())
    place.fail(given, "\"sizes\" is not a map of names and numbers", "write for example sizes: {batch: 1}");
  place.check(find_repeated_key(given));
  for (const auto& size : given) try {
      const int64_t number = evaluate(size.second.IsScalar() ? size.second.Scalar() : "", sizes);
      if (number < 1) throw Error(fmt::format("{} is less than 1", number), "give at least 1");
      sizes[size.first.Scalar()] = number;
    } catch (const Error& error) {
      place.fail(size.first, fmt::format("size {}: {}", size.first.Scalar(), error.what()), error.remedy());
    }
  return sizes;
}

std::vector<std::string> names_of(const Sizes& sizes) {
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) names.push_back(name);
  return names;
}

}  // namespace

Sizes read_network_sizes(const std::string& yaml, const std::string& file) {
  return sizes_in(parse_network(yaml, file), YamlFile(file));
}

Network read_network(const std::string& yaml, const std::string& file, const Sizes& sizes,
                     const std::string& dtype) {
  const YamlFile place(file);
  const YAML::Node root = parse_network(yaml, file);
  place.check(find_bad_key(root, {"name", "about", "sizes", "layers"}));
  Sizes all = sizes_in(root, place);
  for (const auto& [name, size] : sizes) {
    if (!all.contains(name))
      throw Error(fmt::format("{}: the network has no size \"{}\", which was given with --size", file, name),
                  all.empty() ? "omit --size, because the network has no sizes"
                              : fmt::format("choose one of its sizes: {}", fmt::join(names_of(all), ", ")));
    all[name] = size;
  }
  Network network;
  const auto text = [&](const char* field) {
    if (root[field] && !root[field].IsScalar())
      place.fail(root[field], fmt::format("the field {} is not a text", field), "write one text");
    return root[field] ? root[field].Scalar() : std::string();
  };
  network.name = text("name");
  network.about = text("about");
  if (all.contains("batch")) network.batch = all.at("batch");
  if (network.name.empty()) place.fail(root, "the network has no name", "write for example name: mine");
  if (!root["layers"]) place.fail(root, "the network has no layers", kLayersForm);
  LayerReader(place, all, dtype).read_layers(root["layers"], network.layers);
  try {
    network.parameters();
    network.multiply_adds();
  } catch (const Error& error) {
    place.fail(root, fmt::format("all layers together: {}", error.what()), error.remedy());
  }
  return network;
}

}  // namespace kjoule
