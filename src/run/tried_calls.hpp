#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// Has kjoule-torch make each of these calls once. Returns why those that cannot be made cannot, by number. A
/// call that ends its process is such a one, and the others go on in another process. Throws Error when
/// kjoule-torch cannot be started.
std::map<size_t, std::string> tried_calls(RestartedRunner runner, const std::vector<ReplayCall>& calls,
                                          Progress& progress);

}  // namespace kjoule
