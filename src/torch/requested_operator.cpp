#include "torch/requested_operator.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "torch/called_operator.hpp"

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

SampleRequest request_in(const std::string& line, const std::string& file, size_t number) {
  try {
    return sample_request(nlohmann::json::parse(line));
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}:{}: no request of a sample: {}", file, number, error.what()));
  }
}

constexpr std::chrono::milliseconds kPause{1};

}  // namespace

Directions requested_operator(const SampleRequest& request, c10::Device device) {
  return built(request, request.call, request.shape, device);
}

Directions warmup_operator(const SampleRequest& request, c10::Device device) {
  return built(request, request.warmup_call, request.warmup_shape, device);
}

GrowingRequests::GrowingRequests(const std::string& file, size_t skipped) : file_(file), lines_(file) {
  if (!lines_) throw Error(file + ": cannot be read");
  while (line_ < skipped) next_line();
}

std::optional<SampleRequest> GrowingRequests::next() {
  const std::string line = next_line();
  if (line == kEndOfRequests) return {};
  return request_in(line, file_, line_);
}

/// Whole ones only: the last may still be written.
std::string GrowingRequests::next_line() {
  const std::streampos begin = lines_.tellg();
  std::string line;
  while (!std::getline(lines_, line) || lines_.eof()) {
    std::this_thread::sleep_for(kPause);
    lines_.clear();
    lines_.seekg(begin);
  }
  ++line_;
  return line;
}

std::vector<SampleRequest> read_requests(const std::string& file) {
  std::ifstream lines(file);
  if (!lines) throw Error(file + ": cannot be read");
  std::vector<SampleRequest> requests;
  for (std::string line; std::getline(lines, line);)
    requests.push_back(request_in(line, file, requests.size() + 1));
  return requests;
}

}  // namespace kjoule::child
