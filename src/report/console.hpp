#pragma once
#include <string>

#include "compare/result.hpp"

namespace kjoule {

/// Tables for a terminal, units in every header. Pure functions.
std::string full_text(const nlohmann::json& run, const FullTiming& full);
std::string isolated_text(const std::vector<KernelResult>& kernels, size_t top);
std::string comparison_text(const Comparison& comparison, size_t top);
/// Unique kernels of a recording.
std::string kernels_text(const std::vector<KernelResult>& kernels, size_t launches);

/// The same kernels as CSV, a header line first; times in microseconds, empty where nothing was measured.
std::string kernels_csv(const std::vector<KernelResult>& kernels);
/// The statistics of the program's own runs as CSV: a header and one line.
std::string full_csv(const FullTiming& full);
/// The same fields as in kernels_csv, absent where nothing was measured.
nlohmann::ordered_json kernels_json(const std::vector<KernelResult>& kernels);
/// One JSON object a line.
std::string kernels_jsonl(const std::vector<KernelResult>& kernels);

}  // namespace kjoule
