#pragma once
#include <optional>
#include <vector>

#include "recording/activity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// For each activity the launch that it is, by order of kinds and names, stream by stream; what is then left
/// over (nodes of graphs run on streams of their own) by order alone. Nothing for one that was not recorded.
std::vector<std::optional<LaunchIndex>> launches_of(const Recording& recording,
                                                    const std::vector<Activity>& activities);

}  // namespace kjoule
