#pragma once
#include <functional>
#include <string>
#include <vector>

#include "device/sample_protocol.hpp"

namespace kjoule {

/// What kjoule-torch answered to request number `request`.
using TakeAnswer = std::function<void(size_t request, const SampleAnswer& answer)>;

/// Has kjoule-torch time each of `requests`, in order. `runner` is its command line without the file of them
/// and the number to begin with. First `take_device` hears where it runs, once, then `take` each answer as
/// soon as it is there; both may add requests, which the same process then times. A sample that ends its
/// process is an error, and the others go on in another process. Throws Error when the runner says nothing of
/// its device.
void sample_requests(const std::vector<std::string>& runner, std::vector<SampleRequest>& requests,
                     const std::function<void(const SamplingDevice&)>& take_device, const TakeAnswer& take);

}  // namespace kjoule
