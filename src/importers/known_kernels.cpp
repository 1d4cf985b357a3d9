#include "importers/known_kernels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/error.hpp"
#include "known_kernels_text.hpp"
#include "names/plain_name.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

constexpr const char* kHowToWriteRules = "docs/reference/formats.md describes the rules for known kernels";
/// Larger tensors do not fit into any memory.
constexpr int64_t kMostElements = int64_t{1} << 40;
/// Rows of the tensor that stands for one that is not contiguous: it is read by columns.
constexpr int64_t kRowsOfStrided = 32;

/// Types by their names without namespaces, and by libtorch's names.
constexpr std::array<std::pair<const char*, const char*>, 12> kKnownTypes = {{{"float", "Float"},
                                                                              {"double", "Double"},
                                                                              {"Half", "Half"},
                                                                              {"half_t", "Half"},
                                                                              {"BFloat16", "BFloat16"},
                                                                              {"bfloat16_t", "BFloat16"},
                                                                              {"long", "Long"},
                                                                              {"int", "Int"},
                                                                              {"short", "Short"},
                                                                              {"signed char", "Char"},
                                                                              {"unsigned char", "Byte"},
                                                                              {"bool", "Bool"}}};

/// Returns libtorch's type for a captured type, or for a type of libtorch itself.
std::optional<std::string> type_of(const std::string& text, const Captures& captures) {
  const auto captured = captures.find(text);
  for (const auto& [name, torch] : kKnownTypes)
    if (captured == captures.end() ? text == torch : captured->second == name) return torch;
  return {};
}

std::vector<std::string> one_or_more(const Json& rule, const char* key) {
  const auto value = rule.find(key);
  if (value == rule.end()) return {};
  if (value->is_string()) return {value->get<std::string>()};
  return value->get<std::vector<std::string>>();
}

void check_known_keys(const Json& rule) {
  constexpr std::array kKeys = {"note",    "of",           "match",    "functor",   "elements",
                                "strided", "only_strided", "operator", "arguments", "only"};
  for (const auto& [key, value] : rule.items())
    if (std::ranges::find(kKeys, key) == kKeys.end())
      throw Error("\"" + key + "\" is not a known key of a rule");
  if (!rule.contains("match")) throw Error("the rule has no \"match\"");
  if (rule.contains("functor") == rule.contains("operator"))
    throw Error("the rule has not exactly one of \"functor\" and \"operator\"");
  if (rule.contains("functor") != rule.contains("elements"))
    throw Error("the rule has only one of \"functor\" and \"elements\"");
}

/// Returns the name with `${x}` replaced by what was captured as x.
std::string filled(std::string name, const Captures& captures) {
  for (const auto& [capture, text] : captures) {
    const std::string place = "${" + capture + "}";
    if (const size_t at = name.find(place); at != std::string::npos) name.replace(at, place.size(), text);
  }
  return name;
}

std::optional<int64_t> number_in(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

/// What sizes are made of: names of rules and their values.
struct KnownKernels::Sizes {
  std::map<std::string, int64_t> values;
  bool is_strided = false;

  Sizes(const ImportedKernel& kernel, const TableFacts& facts) {
    const auto add = [&](const std::string& name, const Extent& extent) {
      values[name + "_x"] = extent[0];
      values[name + "_y"] = extent[1];
      values[name + "_z"] = extent[2];
    };
    add("grid", *kernel.grid);
    add("block", *kernel.block);
    values["per_thread"] = facts.per_thread;
    if (facts.hidden) values["hidden"] = *facts.hidden;
  }

  /// Returns the value of a product such as "grid_x*m" or "2^e". A factor is a name, a number, or something
  /// that was captured.
  std::optional<int64_t> product(std::string_view text, const Captures& captures) const {
    int64_t result = 1;
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('*', begin), text.size());
      const auto factor = value(std::string(text.substr(begin, end - begin)), captures);
      if (!factor || *factor <= 0 || __builtin_mul_overflow(result, *factor, &result) ||
          result > kMostElements)
        return {};
      begin = end + 1;
    }
    return result;
  }

 private:
  std::optional<int64_t> value(const std::string& name, const Captures& captures) const {
    if (name.starts_with("2^")) {
      const auto exponent = value(name.substr(2), captures);
      if (!exponent || *exponent > 40) return {};
      return int64_t{1} << *exponent;
    }
    if (name == "warp_rows") return warp_rows(captures);
    if (const auto known = values.find(name); known != values.end()) return known->second;
    if (const auto captured = captures.find(name); captured != captures.end())
      return number_in(captured->second);
    return number_in(name);
  }

  /// Returns the rows of libtorch's softmax by warps (PersistentSoftmax.cuh): a warp computes two rows of up
  /// to 128 elements, or one longer row.
  std::optional<int64_t> warp_rows(const Captures& captures) const {
    constexpr int64_t kLongestOfTwo = 7;  // logarithm
    const auto logarithm = value("e", captures);
    if (!logarithm) return {};
    return values.at("grid_x") * values.at("block_y") * (*logarithm <= kLongestOfTwo ? 2 : 1);
  }
};

namespace {

/// Returns contiguous strides, or those of a matrix that is stored by columns.
Json strides_of(const Json& shape, bool by_columns) {
  if (by_columns) return {1, shape[0]};
  Json strides = Json::array();
  int64_t stride = 1;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    strides.insert(strides.begin(), stride);
    stride *= size->get<int64_t>();
  }
  return strides;
}

}  // namespace

KnownKernels::Rule KnownKernels::rule_of(const Json& json) {
  check_known_keys(json);
  Rule rule;
  for (const std::string& text : one_or_more(json, "match")) rule.patterns.emplace_back(text);
  rule.functor = json.value("functor", "");
  rule.elements = json.value("elements", "");
  rule.is_strided = json.value("strided", false);
  rule.only_strided = json.value("only_strided", false);
  rule.operator_name = json.value("operator", "");
  rule.only = one_or_more(json, "only");
  rule.arguments = json.value("arguments", Json::array());
  return rule;
}

KnownKernels::KnownKernels(std::string_view text, const std::string& source) {
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) continue;
    const std::string where = source + ":" + std::to_string(number) + ": ";
    try {
      const Json json = Json::parse(line);
      if (!json.is_object()) throw Error("the rule is not a JSON object");
      (json.value("of", "kernel") == "functor" ? functors_ : kernels_).push_back(rule_of(json));
    } catch (const Json::exception&) {
      throw Error(where + "the rule is not a JSON object with values of the right kinds", kHowToWriteRules);
    } catch (const Error& cause) {
      throw Error(where + cause.what(), kHowToWriteRules);
    }
  }
}

const KnownKernels& KnownKernels::bundled() {
  static const KnownKernels known(kKnownKernels, "data/known_kernels.jsonl");
  return known;
}

/// Returns one argument of a call; nothing if its type or a size is not known.
std::optional<Json> KnownKernels::argument_of(const Json& argument, const Captures& captures,
                                              const Sizes& sizes, bool by_columns) {
  if (argument.is_array()) {
    Json list = Json::array();
    for (const Json& element : argument) {
      auto value = argument_of(element, captures, sizes, false);
      if (!value) return {};
      list.push_back(*std::move(value));
    }
    return list;
  }
  if (argument.is_object() && argument.contains("size")) {
    const auto size = sizes.product(argument.at("size").get<std::string>(), captures);
    return size ? std::optional<Json>(*size) : std::nullopt;
  }
  if (!argument.is_object() || !argument.contains("shape")) return argument;
  const auto dtype = type_of(argument.at("dtype").get<std::string>(), captures);
  if (!dtype) return {};
  Json shape = Json::array();
  for (const Json& size : argument.at("shape")) {
    const auto elements = sizes.product(size.get<std::string>(), captures);
    if (!elements) return {};
    shape.push_back(*elements);
  }
  if (sizes.is_strided) shape = {kRowsOfStrided, shape[0].get<int64_t>() / kRowsOfStrided};
  return Json{{"tensor", {{"dtype", *dtype}, {"shape", shape}, {"strides", strides_of(shape, by_columns)}}}};
}

std::optional<OperatorCall> KnownKernels::call_by(const Rule& rule, const Captures& captures,
                                                  const Sizes& sizes) {
  const auto op = captures.find("op");
  if (!rule.only.empty() &&
      (op == captures.end() || std::ranges::find(rule.only, op->second) == rule.only.end()))
    return {};
  OperatorCall call{filled(rule.operator_name, captures)};
  const auto is_tensor = [](const Json& argument) {
    return argument.is_object() && argument.contains("shape");
  };
  const auto last = std::find_if(rule.arguments.rbegin(), rule.arguments.rend(), is_tensor);
  for (const Json& argument : rule.arguments) {
    // Of several tensors, the last one is read by columns.
    const bool by_columns = sizes.is_strided && last != rule.arguments.rend() && &argument == &*last;
    auto value = argument_of(argument, captures, sizes, by_columns);
    if (!value) return {};
    call.arguments.push_back(*std::move(value));
  }
  return call;
}

std::optional<OperatorCall> KnownKernels::call_of_functor(const std::string& functor,
                                                          const Sizes& sizes) const {
  for (const Rule& rule : functors_) {
    if (rule.only_strided && !sizes.is_strided) continue;
    for (const CapturePattern& pattern : rule.patterns)
      if (const auto captures = pattern.match(functor))
        if (auto call = call_by(rule, *captures, sizes)) return call;
  }
  return {};
}

std::optional<OperatorCall> KnownKernels::call_of(const ImportedKernel& kernel,
                                                  const TableFacts& facts) const {
  if (kernel.kind != ActivityKind::kernel || !kernel.grid || !kernel.block) return {};
  const PlainName name(kernel.name);
  Sizes sizes(kernel, facts);
  for (const Rule& rule : kernels_)
    for (const CapturePattern& pattern : rule.patterns) {
      const auto captures = pattern.match(name.text);
      if (!captures) continue;
      if (rule.functor.empty()) return call_by(rule, *captures, sizes);
      const auto elements = sizes.product(rule.elements, *captures);
      if (!elements) return {};
      sizes.values["elements"] = *elements;
      sizes.is_strided = rule.is_strided;
      return call_of_functor(captures->at(rule.functor), sizes);
    }
  return {};
}

namespace {

/// Returns how many elements a thread of libtorch's elementwise kernels computes: 8 if a kernel of the table
/// accesses 8 or more elements at once, as libtorch does from 2.7 on, otherwise 4.
int per_thread_of(const ImportedTable& table) {
  static const CapturePattern kVectorized("vectorized_elementwise_kernel<%{v}, *");
  constexpr int64_t kFewestOfNew = 8;
  for (const ImportedKernel& kernel : table.kernels) {
    if (kernel.name.find("vectorized_elementwise_kernel") == std::string::npos) continue;
    const auto captures = kVectorized.match(PlainName(kernel.name).text);
    if (captures && number_in(captures->at("v")).value_or(0) >= kFewestOfNew) return 8;
  }
  return 4;
}

/// Returns the K of most matrix products (by launches) that the table states; nothing if it states none.
std::optional<int64_t> hidden_of(const ImportedTable& table) {
  std::map<int64_t, uint64_t> launches;
  for (const ImportedKernel& kernel : table.kernels)
    if (kernel.gemm.k) launches[*kernel.gemm.k] += kernel.launches;
  const auto most = std::ranges::max_element(launches, {}, [](const auto& size) { return size.second; });
  return most == launches.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace

TableFacts table_facts(const ImportedTable& table) {
  return {per_thread_of(table), hidden_of(table)};
}

}  // namespace kjoule
