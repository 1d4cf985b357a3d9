#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/process/progress.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// Makes each of these calls once in a process of `runner`. Returns the indices of the calls that cannot be
/// made, each with the reason. A call that ends the process counts as one that cannot be made; a new process
/// then tries the remaining calls. Throws Error if a process cannot be started.
std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress);

}  // namespace kjoule
