#pragma once
#include <c10/core/Device.h>

#include "device/sample_protocol.hpp"

namespace kjoule::child {

/// The device and what a time on it is.
SamplingDevice sampling_device(c10::Device device);

/// Times an operator. What cannot be timed is an answer, too.
SampleAnswer sample_operator(const SampleRequest& request, c10::Device device);

/// Returns memory that libtorch keeps for later to the device.
void give_back_memory(c10::Device device);

}  // namespace kjoule::child
