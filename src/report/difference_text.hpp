#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compare/changes/difference.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// How much of a difference a report shows.
struct DifferenceStyle {
  size_t top = 20;  ///< most changed kernels, and most changed layers, that are listed
  NameStyle names = NameStyle::shortened;
  ChangeLimits limits;
};

/// Returns the difference between two runs for a terminal, in lines of at most 80 characters, except for full
/// names. A change is listed only if its 95 % interval excludes 0.
std::string difference_text(const Difference& difference, const DifferenceStyle& style);

/// Returns the same as Markdown tables.
std::string difference_markdown(const Difference& difference, const DifferenceStyle& style);

/// Returns the sentences under the tables: what the intervals contain, phases that only one run has,
/// findings, and limits if there are any.
std::vector<std::string> difference_sentences(const Difference& difference, const ChangeLimits& limits);
/// Returns one sentence that states whether the whole rose by more than the limits, and by how much.
std::string limit_sentence(const Difference& difference, const ChangeLimits& limits);

}  // namespace kjoule
