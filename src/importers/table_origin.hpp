#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The tool that wrote a table.
enum class TableOrigin { other, ncu, nsys, nvprof, rocprof };

/// Returns the tool whose reports have these headings, and `other` for tables of scripts and of kjoule.
TableOrigin origin_of(const std::vector<std::string>& columns);

/// Returns the position of the column whose heading without its unit is `name`, or columns.size() if there is
/// none: "Avg" finds "Avg (ns)".
size_t position_of(const std::vector<std::string>& columns, std::string_view name);
bool has_column(const std::vector<std::string>& columns, std::string_view name);

}  // namespace kjoule
