#include "trace/replay_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;
constexpr double kMostBytes = 1e18;
constexpr std::string_view kCallRange = "kjoule call ";

/// Types as the rules call them, and as libtorch does.
constexpr std::array<std::pair<const char*, const char*>, 5> kRuledTypes = {{{"float32", "Float"},
                                                                             {"float16", "Half"},
                                                                             {"bfloat16", "BFloat16"},
                                                                             {"float64", "Double"},
                                                                             {"tf32", "Float"}}};

/// Calls `visit` with every tensor among these arguments.
template <class Value, class Visit>
void for_each_tensor(Value& arguments, const Visit& visit) {
  for (auto& argument : arguments)
    if (argument.is_array())
      for_each_tensor(argument, visit);
    else if (argument.is_object() && argument.contains("tensor"))
      visit(argument.at("tensor"));
}

/// The floating-point type that most tensors have; null where none has any.
Json usual_type(const std::vector<ReplayCall>& calls) {
  std::map<std::string, int> counts;
  for (const ReplayCall& call : calls)
    if (const auto* op = std::get_if<OperatorCall>(&call))
      for_each_tensor(op->arguments, [&](const Json& tensor) {
        const Json type = tensor.value("dtype", Json());
        const auto floating = [&](const auto& known) { return type == known.second; };
        if (std::any_of(kRuledTypes.begin(), kRuledTypes.end(), floating)) ++counts[type.get<std::string>()];
      });
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? Json() : Json(most->first);
}

void set_unknown_types(ReplayCall& call, const Json& type) {
  auto* op = std::get_if<OperatorCall>(&call);
  if (op == nullptr || type.is_null()) return;
  for_each_tensor(op->arguments, [&](Json& tensor) {
    if (tensor.value("dtype", Json()).is_null()) tensor["dtype"] = type;
  });
}

Json type_by_name(const ImportedKernel& kernel) {
  for (const auto& [ruled, torch] : kRuledTypes)
    if (kernel.dtype == ruled) return torch;
  return {};
}

/// "Memcpy HtoD (Pageable -> Device)", "memcpy DtoD"
MemoryCopy copy_of(const ImportedKernel& kernel) {
  const size_t to = kernel.name.find("to");
  if (to == std::string::npos || to == 0 || to + 2 >= kernel.name.size())
    throw Error(fmt::format("\"{}\" does not say from where to where", kernel.name));
  return {*kernel.bytes, kernel.name[to - 1] == 'H', kernel.name[to + 2] == 'H',
          kernel.name.find("Pinned") != std::string::npos};
}

ReplayCall call_of(const ImportedKernel& kernel) {
  if (kernel.kind == ActivityKind::kernel) {
    if (kernel.launched_by.name.empty() && !kernel.recorded_signature.empty())
      throw Error("a list of a recording's kernels tells no inputs",
                  "give the recording itself; --like TRACE or --model M lends operators and shapes");
    return operator_call(kernel.launched_by);
  }
  if (!kernel.bytes || *kernel.bytes <= 0)
    throw Error("how many bytes it moves is not known", "traces of PyTorch 1.13 or later tell");
  if (kernel.kind == ActivityKind::memset) return MemorySet{*kernel.bytes};
  return copy_of(kernel);
}

Json to_json(const ReplayCall& call) {
  if (const auto* op = std::get_if<OperatorCall>(&call))
    return {{"operator", op->name}, {"arguments", op->arguments}};
  if (const auto* copy = std::get_if<MemoryCopy>(&call))
    return {{"copy",
             {{"bytes", copy->bytes},
              {"from_host", copy->from_host},
              {"to_host", copy->to_host},
              {"pinned", copy->pinned}}}};
  return {{"set", {{"bytes", std::get<MemorySet>(call).bytes}}}};
}

/// Names in traces need not be UTF-8.
std::string line_of(const ReplayCall& call) {
  return to_json(call).dump(-1, ' ', false, Json::error_handler_t::replace);
}

ReplayCall from_json(const Json& json) {
  if (json.contains("operator")) return OperatorCall{json.at("operator"), json.at("arguments")};
  if (json.contains("set")) return MemorySet{json.at("set").at("bytes")};
  const Json& copy = json.at("copy");
  return MemoryCopy{copy.at("bytes"), copy.at("from_host"), copy.at("to_host"), copy.at("pinned")};
}

int64_t bytes_of_element(const Json& dtype) {
  const auto name = dtype.is_string() ? dtype.get<std::string>() : "Float";
  if (name == "Double" || name == "Long" || name == "ComplexFloat") return 8;
  if (name == "Half" || name == "BFloat16" || name == "Short" || name == "UInt16") return 2;
  if (name == "Bool" || name == "Byte" || name == "Char" || name.starts_with("Float8")) return 1;
  return name == "ComplexDouble" ? 16 : 4;
}

/// As a number that does not overflow, whatever sizes a table tells.
double bytes_of_tensor(const Json& tensor) {
  const auto shape = tensor.at("shape").get<std::vector<int64_t>>();
  const auto strides = tensor.at("strides").get<std::vector<int64_t>>();
  double elements = 1;
  for (size_t i = 0; i < shape.size() && i < strides.size(); ++i) {
    if (shape[i] == 0) return 0;
    elements += static_cast<double>(shape[i] - 1) * static_cast<double>(strides[i]);
  }
  return elements * static_cast<double>(bytes_of_element(tensor.value("dtype", Json())));
}

}  // namespace

int64_t bytes_of(const ReplayCall& call) {
  if (const auto* copy = std::get_if<MemoryCopy>(&call)) return 2 * std::min(copy->bytes, INT64_MAX / 2);
  if (const auto* set = std::get_if<MemorySet>(&call)) return set->bytes;
  double bytes = 0;
  for_each_tensor(std::get<OperatorCall>(call).arguments,
                  [&](const Json& tensor) { bytes += bytes_of_tensor(tensor); });
  return static_cast<int64_t>(std::min(bytes, kMostBytes));
}

std::set<size_t> too_much_together(const std::vector<ReplayCall>& calls, double room_bytes) {
  std::vector<size_t> order(calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t call) { return bytes_of(calls[call]); });
  std::set<size_t> beyond;
  double bytes = 0;
  for (const size_t call : order) {
    bytes += static_cast<double>(bytes_of(calls[call]));
    if (bytes > room_bytes) beyond.insert(call);
  }
  return beyond;
}

std::string call_name(const ReplayCall& call) {
  if (const auto* op = std::get_if<OperatorCall>(&call)) return op->name;
  const auto* copy = std::get_if<MemoryCopy>(&call);
  if (copy == nullptr) return "memset";
  return fmt::format("memcpy {}to{}", copy->from_host ? 'H' : 'D', copy->to_host ? 'H' : 'D');
}

ReplayPlan replay_plan(const ImportedTable& table) {
  ReplayPlan plan;
  std::vector<std::optional<ReplayCall>> wanted;
  std::vector<ReplayCall> known;
  for (const ImportedKernel& kernel : table.kernels) {
    ReplayPlan::Kernel& replay = plan.kernels.emplace_back();
    wanted.emplace_back();
    try {
      wanted.back() = call_of(kernel);
      known.push_back(*wanted.back());
      set_unknown_types(*wanted.back(), type_by_name(kernel));
    } catch (const Error& error) {
      replay.why_not = error.line();
    }
  }
  const Json usual = usual_type(known);
  std::map<std::string, size_t> places;
  for (size_t k = 0; k < wanted.size(); ++k) {
    if (!wanted[k]) continue;
    set_unknown_types(*wanted[k], usual);
    const auto [place, is_new] = places.emplace(line_of(*wanted[k]), plan.calls.size());
    if (is_new) plan.calls.push_back(std::move(*wanted[k]));
    plan.kernels[k].call = place->second;
  }
  return plan;
}

std::string calls_text(const std::vector<ReplayCall>& calls) {
  std::string text;
  for (const ReplayCall& call : calls) text += line_of(call) + "\n";
  return text;
}

std::vector<ReplayCall> read_calls(const std::string& path) {
  std::vector<ReplayCall> calls;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) try {
      calls.push_back(from_json(Json::parse(line)));
    } catch (const Json::exception&) {
      throw Error(fmt::format("{}:{}: no call", path, calls.size() + 1), "kjoule writes these files");
    }
  return calls;
}

std::string call_range(size_t call) {
  return fmt::format("{}{}", kCallRange, call);
}

std::optional<size_t> call_of_range(const std::string& range) {
  if (!range.starts_with(kCallRange)) return {};
  size_t call = 0;
  const char* const end = range.data() + range.size();
  const auto [stop, error] = std::from_chars(range.data() + kCallRange.size(), end, call);
  if (error != std::errc() || stop != end) return {};
  return call;
}

}  // namespace kjoule
