#pragma once
#include <optional>
#include <vector>

#include "recording/activity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns for each activity the recorded launch to which it belongs, or no value if its launch was not
/// recorded. Launches and activities are first matched stream by stream, by the order of their kinds and
/// names. The remaining launches and activities are then matched by kind, name and order without regard to
/// streams, because nodes of CUDA graphs run on streams of their own.
std::vector<std::optional<LaunchIndex>> launches_of(const Recording& recording,
                                                    const std::vector<Activity>& activities);

}  // namespace kjoule
