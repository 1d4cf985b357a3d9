#include "sampling/sample_requests.hpp"

namespace kjoule {

namespace {

std::string dtype_of(const std::string& precision) {
  if (precision == "fp16") return "Half";
  return precision == "bf16" ? "BFloat16" : "Float";
}

}  // namespace

SampleRequest make_sample_request(const SamplingConfiguration& configuration, const std::string& precision,
                                  const SampleShape& shape) {
  SampleRequest request;
  request.operator_name = configuration.function_name;
  request.precision = precision;
  request.shape = configuration.numbers_of(shape);
  request.warmup_shape = configuration.numbers_of(configuration.warmup_shape);
  request.warmup_passes = configuration.warmup_passes;
  request.active = configuration.active;
  request.wants_backward = configuration.time_columns.size() > 1;
  if (configuration.call) {
    request.call = configuration.call_of(shape, dtype_of(precision));
    request.warmup_call = configuration.call_of(configuration.warmup_shape, dtype_of(precision));
  }
  return request;
}

AnsweredRequest answer_request(const SampleRequest& request, RestartedRunner& restarted) {
  Runner& runner = restarted.ready();
  try {
    const SampleAnswer answer = runner.sample(request);
    return {answer, answer.status == SampleStatus::error && !runner.is_usable()};
  } catch (const DeviceError& error) {
    if (!error.lost) throw;
    return {{.why = error.what()}, true};
  }
}

}  // namespace kjoule
