#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process/progress.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// The outcome of one call that was tried.
struct TriedCall {
  std::optional<double> seconds;  ///< time of the call, s; nothing if it cannot be made
  std::string error;              ///< the reason why it cannot be made
};

/// Makes the call once in a process of `runner`. If the call ends its process, it counts as a call that
/// cannot be made. Throws Error if no process can be started.
TriedCall try_call(RestartedRunner& runner, const ReplayCall& call);

/// Makes each of these calls once. Returns, by index, the reasons why calls cannot be made. If a call ends
/// its process, another process tries the remaining calls. Throws Error if no process can be started.
std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress);

}  // namespace kjoule
