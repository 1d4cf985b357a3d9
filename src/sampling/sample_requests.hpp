#pragma once
#include <string>

#include "run/started_runner.hpp"
#include "sampling/configuration.hpp"

namespace kjoule {

/// Returns the request for one shape. Throws Error if a formula of the configuration's arguments has no value
/// for the shape.
SampleRequest make_sample_request(const SamplingConfiguration& configuration, const std::string& precision,
                                  const SampleShape& shape);

/// kjoule-torch's answer to a request.
struct AnsweredRequest {
  SampleAnswer answer;
  bool ended_process = false;  ///< whether the sample ended the process, or left the device unusable
};

/// Times a sample in kjoule-torch. If the sample ends the process, the answer has the status error, and a new
/// process times the next one. Throws Error if no process can be started.
AnsweredRequest answer_request(const SampleRequest& request, RestartedRunner& runner);

}  // namespace kjoule
