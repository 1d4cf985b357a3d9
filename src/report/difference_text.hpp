#pragma once
#include <optional>
#include <string>

#include "compare/difference.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// What a report of a difference shows.
struct DifferenceStyle {
  size_t top = 20;  ///< number of changed kernels, and of changed layers
  NameStyle names = NameStyle::shortened;
  ChangeLimits limits;
};

/// Returns the difference between two runs for a terminal, in lines of at most 80 characters, apart from full
/// names. Only changes outside both intervals are listed as changes.
std::string difference_text(const Difference& difference, const DifferenceStyle& style);

/// Returns the same as Markdown tables.
std::string difference_markdown(const Difference& difference, const DifferenceStyle& style);

/// Returns one sentence: whether the whole rose by more than the limits, with the rises.
std::string limit_sentence(const Difference& difference, const ChangeLimits& limits);

}  // namespace kjoule
