#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The cells of a line that another program wrote, without the blanks around them; quotes are taken off.
std::vector<std::string> split_cells(std::string_view line);
/// Watts of a cell such as "245.10 W", "245.1" or "812 mW". Nothing for "[N/A]" and the like.
std::optional<double> parse_watts(std::string_view cell);

}  // namespace kjoule
