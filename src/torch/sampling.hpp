#pragma once
#include <c10/core/Device.h>

#include <cstddef>
#include <string>

namespace kjoule::child {

/// Times each operator of a file (a SampleRequest a line; others may be added while these are timed, until
/// kEndOfRequests stands behind them), from number `first` on. Prints the SamplingDevice,
/// then for each {"tries": 0} and {"sample": 0, "answer": SampleAnswer}: a process that ends between the two
/// was ended by that sample. What cannot be timed is an answer, too. Ends the process behind a sample that
/// leaves the device unusable. Throws Error for a file that is none.
void sample_operators(const std::string& file, c10::Device device, size_t first);

}  // namespace kjoule::child
