#pragma once
#include "compare/iteration/comparison.hpp"
#include "page/page_section.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the section on the FLOPs and bytes of the kernels whose work is known, and on the rates that
/// follow from their times; empty if no kernel's work is known. The work of an operator follows from its
/// recorded sizes, that of a copy or memset from its own size. Nothing is assumed of other kernels.
PageSection work_section(const Recording& recording, const Comparison& comparison);

}  // namespace kjoule
