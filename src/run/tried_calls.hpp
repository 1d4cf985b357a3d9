#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/process/progress.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// Makes each of these calls once in kjoule-torch. Returns the calls that cannot be made, with the reason, by
/// their index. If a call ends its process, it cannot be made, and another process tries the remaining calls.
/// Throws Error if kjoule-torch cannot be started.
std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress);

}  // namespace kjoule
