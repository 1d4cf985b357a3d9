#pragma once
#include <functional>
#include <vector>

#include "run/started_runner.hpp"

namespace kjoule {

/// What kjoule-torch answered to request number `request`.
using TakeAnswer = std::function<void(size_t request, const SampleAnswer& answer)>;

/// Has `runner` time each of `requests`, in order. First `take_device` hears where it runs, once, then `take`
/// each answer as soon as it is there; both may add requests, which the same process then times. A sample
/// that ends its process is an error, and the others go on in another process. Throws Error when no process
/// can be started.
void sample_requests(RestartedRunner runner, std::vector<SampleRequest>& requests,
                     const std::function<void(const SamplingDevice&)>& take_device, const TakeAnswer& take);

}  // namespace kjoule
