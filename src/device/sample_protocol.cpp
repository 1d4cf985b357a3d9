#include "device/sample_protocol.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/optional_json.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<SampleStatus, const char*>, 6> kStatuses = {
    {{SampleStatus::measured, "measured"},
     {SampleStatus::invalid, "invalid"},
     {SampleStatus::too_large, "too large"},
     {SampleStatus::refused, "refused"},
     {SampleStatus::too_fast, "too fast"},
     {SampleStatus::error, "error"}}};

Json call_json(const std::optional<OperatorCall>& call) {
  if (!call) return nullptr;
  return {{"name", call->name}, {"arguments", call->arguments}};
}

std::optional<OperatorCall> call_of(const Json& json) {
  if (json.is_null()) return {};
  return OperatorCall{json.at("name").get<std::string>(), json.at("arguments")};
}

}  // namespace

std::string status_name(SampleStatus status) {
  for (const auto& [one, name] : kStatuses)
    if (one == status) return name;
  return "error";
}

SampleStatus status_named(const std::string& name) {
  for (const auto& [status, one] : kStatuses)
    if (name == one) return status;
  throw Error(name + " is no status of a sample");
}

Json to_json(const SampleRequest& request) {
  return {{"operator", request.operator_name},
          {"call", call_json(request.call)},
          {"warmup_call", call_json(request.warmup_call)},
          {"precision", request.precision},
          {"shape", request.shape},
          {"warmup_shape", request.warmup_shape},
          {"warmup_passes", request.warmup_passes},
          {"active", request.active},
          {"wants_backward", request.wants_backward},
          {"trace", request.trace}};
}

SampleRequest sample_request(const Json& json) {
  return {.operator_name = json.at("operator"),
          .call = call_of(json.at("call")),
          .warmup_call = call_of(json.at("warmup_call")),
          .precision = json.at("precision"),
          .shape = json.at("shape"),
          .warmup_shape = json.at("warmup_shape"),
          .warmup_passes = json.at("warmup_passes"),
          .active = json.at("active"),
          .wants_backward = json.at("wants_backward"),
          .trace = json.at("trace")};
}

Json to_json(const SampleAnswer& answer) {
  Json json{{"status", status_name(answer.status)}};
  if (!answer.why.empty()) json["why"] = answer.why;
  for (const auto& [name, direction] : answer.directions)
    json["directions"][name] = {{"passes_us", direction.passes_us},
                                {"flops", or_null(direction.flops)},
                                {"least_bytes", or_null(direction.least_bytes)}};
  json["peak_memory_bytes"] = or_null(answer.peak_memory_bytes);
  json["kernels"] = or_null(answer.kernels);
  return json;
}

SampleAnswer sample_answer(const Json& json) {
  SampleAnswer answer;
  answer.status = status_named(json.at("status").get<std::string>());
  answer.why = json.value("why", "");
  const Json directions = json.value("directions", Json::object());
  for (const auto& [name, direction] : directions.items())
    answer.directions[name] = {direction.at("passes_us").get<std::vector<double>>(),
                               if_there<double>(direction, "flops"),
                               if_there<double>(direction, "least_bytes"), played_direction(direction)};
  answer.peak_memory_bytes = if_there<int64_t>(json, "peak_memory_bytes");
  answer.kernels = if_there<int64_t>(json, "kernels");
  return answer;
}

size_t sampled_call(size_t request, const std::string& direction) {
  constexpr std::array<const char*, kSampledCalls> kNames{"forward", "backward", "step"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), direction);
  if (found == kNames.end()) throw Error(direction + " is no direction of an operator");
  return request * kSampledCalls + static_cast<size_t>(found - kNames.begin());
}

Json to_json(const SamplingDevice& device) {
  return {{"device", device.name},
          {"torch", device.torch},
          {"threads", device.threads},
          {"time", device.time},
          {"free_bytes", or_null(device.free_bytes)}};
}

SamplingDevice sampling_device(const Json& json) {
  return {json.at("device"), json.at("torch"), json.at("threads"), json.at("time"),
          if_there<int64_t>(json, "free_bytes")};
}

}  // namespace kjoule
