#pragma once
#include <string>

namespace kjoule {

/// Returns whether `name` is a function of the CUDA or HIP runtime or driver. Some tables list these calls of
/// the host among the kernels, or instead of them.
bool is_host_call(const std::string& name);

}  // namespace kjoule
