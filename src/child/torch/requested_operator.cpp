#include "requested_operator.hpp"

#include <fmt/format.h>

#include <fstream>

#include "base/error.hpp"
#include "called_operator.hpp"

namespace kjoule::child {

namespace {

at::ScalarType type_of(const std::string& precision) {
  if (precision == "fp16") return at::kHalf;
  if (precision == "bf16") return at::kBFloat16;
  if (precision == "fp32") return at::kFloat;
  throw Error(precision + " is no precision", "use fp16, bf16 or fp32");
}

Directions built(const SampleRequest& request, const std::optional<OperatorCall>& call,
                 const SampleShape& shape, c10::Device device) {
  if (call) return called_operator(*call, device, request.wants_backward);
  return build_operator(request.operator_name, shape,
                        {at::TensorOptions().device(device).dtype(type_of(request.precision))});
}

}  // namespace

Directions requested_operator(const SampleRequest& request, c10::Device device) {
  return built(request, request.call, request.shape, device);
}

Directions warmup_operator(const SampleRequest& request, c10::Device device) {
  return built(request, request.warmup_call, request.warmup_shape, device);
}

std::vector<SampleRequest> read_requests(const std::string& file) {
  std::ifstream lines(file);
  if (!lines) throw Error(file + ": cannot be read");
  std::vector<SampleRequest> requests;
  for (std::string line; std::getline(lines, line);) try {
      requests.push_back(sample_request(nlohmann::json::parse(line)));
    } catch (const nlohmann::json::exception& error) {
      throw Error(fmt::format("{}:{}: no request of a sample: {}", file, requests.size() + 1, error.what()));
    }
  return requests;
}

}  // namespace kjoule::child
