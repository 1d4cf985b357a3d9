#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns the cells of a line of CSV that another program wrote, without surrounding blanks and quotes.
std::vector<std::string> split_cells(std::string_view line);
/// Returns the power in W of a cell such as "245.10 W", "245.1" or "812 mW", or no value for "[N/A]" and
/// similar cells.
std::optional<double> parse_watts(std::string_view cell);

}  // namespace kjoule
