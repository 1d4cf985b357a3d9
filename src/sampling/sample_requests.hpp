#pragma once
#include <functional>
#include <vector>

#include "run/started_runner.hpp"

namespace kjoule {

/// A function that receives kjoule-torch's answer to request number `request`.
using AnswerReceiver = std::function<void(size_t request, const SampleAnswer& answer)>;

/// Times `requests` in kjoule-torch, in order. `take_device` is called first, once, with the device; `take`
/// is called with each answer as soon as it arrives. Both may append requests, which the same process then
/// times. A sample that ends its process is an error, and another process times the remaining ones. Throws
/// Error if no process can be started.
void sample_requests(RestartedRunner runner, std::vector<SampleRequest>& requests,
                     const std::function<void(const SamplingDevice&)>& take_device,
                     const AnswerReceiver& take);

}  // namespace kjoule
