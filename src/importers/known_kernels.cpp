#include "importers/known_kernels.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.hpp"
#include "base/files/for_each_line.hpp"
#include "base/text/expression.hpp"
#include "importers/profiled_call.hpp"
#include "importers/torch_types.hpp"
#include "known_kernels_text.hpp"
#include "names/plain_name.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

constexpr const char* kHowToWriteRules = "docs/reference/formats.md describes the rules for known kernels";
/// Largest number of a tensor's elements; larger tensors exceed any memory.
constexpr int64_t kMostElements = int64_t{1} << 40;
/// Largest number of tensors in a list.
constexpr int64_t kMostTensors = 128;
/// The group of the rules for functors of elementwise kernels.
constexpr const char* kElementwise = "functor";
/// Rows of the matrix that represents a tensor which is not contiguous; the matrix is read by columns.
constexpr int64_t kRowsOfStrided = 32;

/// The type of libtorch for a number of bytes per element, for kernels that only copy elements.
constexpr std::array<std::pair<std::string_view, const char*>, 4> kTypesOfBytes = {
    {{"1", "Byte"}, {"2", "Half"}, {"4", "Float"}, {"8", "Long"}}};

/// Returns libtorch's type for `text`: the name of a capture that contains a type or a number of bytes, or a
/// type itself.
std::optional<std::string> type_of(const std::string& text, const Captures& captures) {
  const auto captured = captures.find(text);
  if (captured == captures.end()) return torch_type_named(text);
  for (const auto& [bytes, torch] : kTypesOfBytes)
    if (captured->second == bytes) return torch;
  return torch_type_named(captured->second);
}

std::vector<std::string> one_or_more(const Json& rule, const char* key) {
  const auto value = rule.find(key);
  if (value == rule.end()) return {};
  if (value->is_string()) return {value->get<std::string>()};
  return value->get<std::vector<std::string>>();
}

void check_known_keys(const Json& rule) {
  constexpr std::array kKeys = {"note",         "of",       "match",     "functor", "sizes", "strided",
                                "only_strided", "operator", "arguments", "only",    "where", "reason"};
  for (const auto& [key, value] : rule.items())
    if (std::ranges::find(kKeys, key) == kKeys.end())
      throw Error("\"" + key + "\" is not a known key of a rule");
  if (!rule.contains("match")) throw Error("the rule has no \"match\"");
  if (rule.contains("functor") + rule.contains("operator") + rule.contains("reason") != 1)
    throw Error("the rule has not exactly one of \"functor\", \"operator\" and \"reason\"");
  if (rule.contains("functor") != rule.contains("sizes"))
    throw Error("the rule has only one of \"functor\" and \"sizes\"");
}

/// Returns the name with each `${x}` replaced by the text of the capture x.
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

/// Adds captured numbers to the sizes. If the logarithm `e` of a row's length was captured, also adds the
/// length (`row`) and the number of rows that a warp of libtorch's softmax computes (`rows_of_warp`): 2 for
/// rows of up to 128 elements, otherwise 1 (PersistentSoftmax.cuh).
void add_captured(const Captures& captures, kjoule::Sizes& sizes) {
  constexpr int64_t kLongestOfTwo = 7;  // logarithm of 128
  constexpr int64_t kLongest = 40;      // logarithm of the longest row
  for (const auto& [name, text] : captures)
    if (const auto number = number_in(text)) sizes.try_emplace(name, *number);
  const auto logarithm = sizes.find("e");
  if (logarithm == sizes.end() || logarithm->second > kLongest) return;
  sizes["row"] = int64_t{1} << logarithm->second;
  sizes["rows_of_warp"] = logarithm->second <= kLongestOfTwo ? 2 : 1;
}

bool has_extent(const Extent& extent) {
  return std::ranges::all_of(extent, [](int64_t size) { return size > 0; });
}

}  // namespace

/// The values in the formulas of sizes, and whether tensors of these sizes are contiguous.
struct KnownKernels::Layout {
  kjoule::Sizes sizes;
  bool is_strided = false;

  Layout(const ImportedKernel& kernel, const TableFacts& facts)
      : sizes{{"grid_x", (*kernel.grid)[0]},    {"grid_y", (*kernel.grid)[1]},
              {"grid_z", (*kernel.grid)[2]},    {"block_x", (*kernel.block)[0]},
              {"block_y", (*kernel.block)[1]},  {"block_z", (*kernel.block)[2]},
              {"per_thread", facts.per_thread}, {"multiprocessors", facts.multiprocessors}} {
    if (facts.hidden) sizes["hidden"] = *facts.hidden;
    if (facts.scanned) sizes["scanned"] = *facts.scanned;
  }

  /// Returns the value of a formula such as "grid_x*m"; nothing if it contains an unknown name, or its value
  /// is not between 1 and kMostElements.
  std::optional<int64_t> value(const std::string& formula, const Captures& captures) const {
    kjoule::Sizes all = sizes;
    add_captured(captures, all);
    try {
      const int64_t value = evaluate(formula, all);
      if (value > 0 && value <= kMostElements) return value;
    } catch (const Error&) {  // the kernel's name lacks a capture
    }
    return {};
  }

  /// Returns a tensor of this shape; if `is_strided`, a matrix with as many elements, which `by_columns` is
  /// stored column by column. Returns nothing if it exceeds kMostElements.
  static std::optional<Json> tensor(const std::string& dtype, Json shape, bool is_strided, bool by_columns) {
    int64_t elements = 1;
    for (const Json& size : shape)
      if (__builtin_mul_overflow(elements, size.get<int64_t>(), &elements) || elements > kMostElements)
        return {};
    if (is_strided) shape = {kRowsOfStrided, elements / kRowsOfStrided};
    const Json strides = by_columns ? Json{1, kRowsOfStrided} : contiguous_strides(shape);
    return Json{{"tensor", {{"dtype", dtype}, {"shape", shape}, {"strides", strides}}}};
  }
};

KnownKernels::Rule KnownKernels::rule_of(const Json& json) {
  check_known_keys(json);
  Rule rule;
  for (const std::string& text : one_or_more(json, "match")) rule.patterns.emplace_back(text);
  rule.functor = json.value("functor", "");
  rule.of = json.value("of", rule.functor.empty() ? "" : kElementwise);
  rule.sizes = json.value("sizes", rule.sizes);
  rule.where = one_or_more(json, "where");
  rule.reason = json.value("reason", "");
  rule.is_strided = json.value("strided", false);
  rule.only_strided = json.value("only_strided", false);
  rule.operator_name = json.value("operator", "");
  rule.only = one_or_more(json, "only");
  rule.arguments = json.value("arguments", Json::array());
  return rule;
}

KnownKernels::KnownKernels(std::string_view text, const std::string& source) {
  for_each_line(text, [&](size_t number, std::string_view line) {
    const std::string where = source + ":" + std::to_string(number) + ": ";
    try {
      const Json json = Json::parse(line);
      if (!json.is_object()) throw Error("the rule is not a JSON object");
      Rule rule = rule_of(json);
      const bool is_of_functor = rule.functor.empty() && !rule.of.empty();
      (is_of_functor ? functors_[rule.of] : kernels_).push_back(std::move(rule));
    } catch (const Json::exception&) {
      throw Error(where + "the rule is not a JSON object with values of the right kinds", kHowToWriteRules);
    } catch (const Error& cause) {
      throw Error(where + cause.what(), kHowToWriteRules);
    }
  });
}

const KnownKernels& KnownKernels::bundled() {
  static const KnownKernels known(kKnownKernels, "data/known_kernels.jsonl");
  return known;
}

/// Returns one argument of a call; nothing if its type or a size is not known.
std::optional<Json> KnownKernels::argument_of(const Json& argument, const Captures& captures,
                                              const Layout& layout, bool by_columns) {
  if (argument.is_array()) {
    Json list = Json::array();
    for (const Json& element : argument) {
      auto value = argument_of(element, captures, layout, false);
      if (!value) return {};
      list.push_back(*std::move(value));
    }
    return list;
  }
  if (argument.is_object() && argument.contains("size")) {
    const auto size = layout.value(argument.at("size").get<std::string>(), captures);
    return size ? std::optional<Json>(*size) : std::nullopt;
  }
  if (!argument.is_object() || !argument.contains("shape")) return argument;
  const auto dtype = type_of(argument.at("dtype").get<std::string>(), captures);
  if (!dtype) return {};
  Json shape = Json::array();
  for (const Json& size : argument.at("shape")) {
    const auto elements = layout.value(size.get<std::string>(), captures);
    if (!elements) return {};
    shape.push_back(*elements);
  }
  auto tensor = Layout::tensor(*dtype, shape, layout.is_strided, by_columns);
  if (!tensor || !argument.contains("times")) return tensor;
  const auto times = layout.value(argument.at("times").get<std::string>(), captures);
  if (!times || *times > kMostTensors) return {};
  return Json(static_cast<size_t>(*times), *tensor);
}

std::optional<OperatorCall> KnownKernels::call_by(const Rule& rule, const Captures& captures,
                                                  const Layout& layout) {
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
    // Only the last tensor is stored column by column.
    const bool by_columns = layout.is_strided && last != rule.arguments.rend() && &argument == &*last;
    auto value = argument_of(argument, captures, layout, by_columns);
    if (!value) return {};
    call.arguments.push_back(*std::move(value));
  }
  return call;
}

std::optional<OperatorCall> KnownKernels::call_of_functor(const Rule& rule, const Captures& captures,
                                                          Layout layout) const {
  const auto group = functors_.find(rule.of);
  if (group == functors_.end()) return {};
  const Layout of_kernel = layout;
  for (const auto& [name, formula] : rule.sizes) {
    const auto size = of_kernel.value(formula, captures);
    if (!size) return {};
    layout.sizes[name] = *size;
  }
  layout.is_strided = rule.is_strided;
  for (const Rule& functor : group->second) {
    if (functor.only_strided && !layout.is_strided) continue;
    for (const CapturePattern& pattern : functor.patterns)
      if (auto found = pattern.match(captures.at(rule.functor))) {
        found->insert(captures.begin(), captures.end());
        if (auto call = call_by(functor, *found, layout)) return call;
      }
  }
  return {};
}

KnownCall KnownKernels::call_of(const ImportedKernel& kernel, const TableFacts& facts) const {
  if (facts.is_of_amd || kernel.kind != ActivityKind::kernel || !kernel.grid || !kernel.block ||
      !has_extent(*kernel.grid) || !has_extent(*kernel.block))
    return {};
  const PlainName name(kernel.name);
  const Layout layout(kernel, facts);
  for (const Rule& rule : kernels_)
    for (const CapturePattern& pattern : rule.patterns) {
      const auto captures = pattern.match(name.text);
      const auto is_met = [&](const std::string& formula) {
        return layout.value(formula, *captures).has_value();
      };
      if (!captures || !std::ranges::all_of(rule.where, is_met)) continue;
      if (!rule.reason.empty()) return {{}, rule.reason};
      auto call =
          rule.functor.empty() ? call_by(rule, *captures, layout) : call_of_functor(rule, *captures, layout);
      if (call) return {std::move(call), {}};
    }
  return {};
}

size_t count_without_call(const ImportedTable& table, const TableFacts& facts) {
  return static_cast<size_t>(std::ranges::count_if(table.kernels, [&](const ImportedKernel& kernel) {
    return kernel.kind == ActivityKind::kernel && !kernel.launched_by.has_shapes() && !kernel.gemm.stated() &&
           !KnownKernels::bundled().call_of(kernel, facts).call;
  }));
}

}  // namespace kjoule
