#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/runner.hpp"

namespace kjoule {

/// Starts a Python process that times an operator of a Python file on the device of `place`, as kjoule-torch
/// times its own operators. `arguments` are those of python/kjoule_operators. Throws Error if the file does
/// not define the operator, or if Python or the device cannot be used.
std::unique_ptr<Runner> start_python_runner(const RunnerWork& place,
                                            const std::vector<std::string>& arguments);

}  // namespace kjoule
