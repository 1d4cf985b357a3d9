#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/progress.hpp"

namespace kjoule {

/// Has kjoule-torch make each of `calls` calls in a file once; why those that cannot be made cannot, by
/// number. `runner` is its command line without the number to begin with. A call that ends its process is
/// such a one, and the others go on in another process. Throws Error when the runner says nothing at all.
std::map<size_t, std::string> tried_calls(const std::vector<std::string>& runner, size_t calls,
                                          Progress& progress);

}  // namespace kjoule
