#pragma once
#include "compare/iteration/comparison.hpp"
#include "page/page_section.hpp"

namespace kjoule {

/// Returns the section that says how the results of a comparison were measured: a paragraph for a paper or a
/// report, with versions, and an entry for its bibliography.
PageSection method_section(const Comparison& comparison);

}  // namespace kjoule
