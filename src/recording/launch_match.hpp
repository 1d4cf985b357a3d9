#pragma once
#include <optional>
#include <vector>

#include "recording/activity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns for each activity the recorded launch that it executes, or no value for an activity that was not
/// recorded. Launches and activities are first matched stream by stream, by the order of their kinds and
/// names. The remaining ones are matched by kind, name and order across all streams, because nodes of CUDA
/// graphs run on streams of their own.
std::vector<std::optional<LaunchIndex>> launches_of(const Recording& recording,
                                                    const std::vector<Activity>& activities);

}  // namespace kjoule
