#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/process/progress.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// Makes each of these calls once in a process of `runner`. Returns, by index, the reasons why calls cannot
/// be made. If a call ends its process, it counts as such a call, and another process tries the remaining
/// calls. Throws Error if the process cannot be started.
std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress);

}  // namespace kjoule
