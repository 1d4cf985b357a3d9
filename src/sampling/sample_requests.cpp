#include "sampling/sample_requests.hpp"

namespace kjoule {

namespace {

SampleAnswer answer_to(const SampleRequest& request, Runner& runner) {
  try {
    return runner.sample(request);
  } catch (const DeviceError& error) {
    if (!error.lost) throw;
    SampleAnswer answer;
    answer.why = error.what();
    return answer;
  }
}

}  // namespace

void sample_requests(RestartedRunner runner, std::vector<SampleRequest>& requests,
                     const std::function<void(const SamplingDevice&)>& take_device,
                     const AnswerReceiver& take) {
  take_device(runner.ready().sampling_device());
  for (size_t i = 0; i < requests.size(); ++i) take(i, answer_to(requests[i], runner.ready()));
}

}  // namespace kjoule
