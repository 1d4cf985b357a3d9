#pragma once
#include <string_view>

#include "trace/activity.hpp"
#include "trace/recording.hpp"

namespace kjoule {

/// Where a kernel's code comes from, as far as its name tells beyond doubt.
Tier tier_of_imported(ActivityKind kind, std::string_view name);

}  // namespace kjoule
