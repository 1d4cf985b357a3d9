#pragma once
#include <optional>

#include "compare/iteration/comparison.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the device's own timeline of the measured launches of the recording; nothing if the device keeps
/// no timeline.
std::optional<TimelineResult> timeline_result(const RowList& rows, const Recording& recording);

}  // namespace kjoule
