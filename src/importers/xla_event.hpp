#pragma once
#include <optional>
#include <string_view>

#include "importers/profiler_event.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Fills the kind and sizes of an operation from the texts in which XLA's profiler describes it, such as
/// "regs:32 static_shared:0 dynamic_shared:0 grid:1024,1,1 block:128,1,1". A size that a text lacks stays
/// unknown.
void read_xla_details(const ProfilerEvent& event, ProfilerOperation& operation);

}  // namespace kjoule
