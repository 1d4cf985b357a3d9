#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace kjoule::runner {

/// Runs `pass` once under PyTorch's profiler and writes the trace to `file`. Returns the number of kernels on
/// the GPU; nothing on the CPU.
std::optional<int64_t> profile_pass(const std::function<void()>& pass, c10::Device device,
                                    const std::string& file);

}  // namespace kjoule::runner
