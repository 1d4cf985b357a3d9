#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/runner.hpp"
#include "run/subject.hpp"

namespace kjoule {

/// Starts a Python process that times an operator of a Python file on the device of `place`, as kjoule-torch
/// times its own operators. `arguments` are those of python/kjoule_operators. Throws Error if the file does
/// not define the operator, or if Python or the device cannot be used.
std::unique_ptr<Runner> start_python_runner(const RunnerWork& place,
                                            const std::vector<std::string>& arguments);

/// Opens sampled operators of a Python file as a subject whose tracks repeat single directions, in a Python
/// process on the device of `work`, which names the operators. Throws Error like start_python_runner(), or if
/// the operator is a function, whose directions cannot be repeated separately.
Subject open_python_operators(const RunnerWork& work, const std::vector<std::string>& arguments);

}  // namespace kjoule
