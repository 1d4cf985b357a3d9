#pragma once
#include <functional>
#include <vector>

#include "run/started_runner.hpp"

namespace kjoule {

/// A function that receives kjoule-torch's answer to request number `request`.
using AnswerReceiver = std::function<void(size_t request, const SampleAnswer& answer)>;

/// Times `requests` in kjoule-torch, in order. `take_device` is called once, before all answers; `take` is
/// called with each answer as soon as it arrives. Both may append to `requests`; the same process then times
/// these requests. If a sample ends the process, its answer has the status error, and a new process times the
/// remaining requests. Throws Error if no process can be started.
void sample_requests(RestartedRunner runner, std::vector<SampleRequest>& requests,
                     const std::function<void(const SamplingDevice&)>& take_device,
                     const AnswerReceiver& take);

}  // namespace kjoule
