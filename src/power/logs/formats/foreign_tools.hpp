#pragma once
#include <string_view>

namespace kjoule {

/// Throws Error if a line is one by which the output of a known tool begins that is no power log, or a log
/// that kjoule does not read. The error names the tool and says how to log with it.
void refuse_foreign_tool(std::string_view line);

}  // namespace kjoule
