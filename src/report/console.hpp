#pragma once
#include <optional>
#include <string>

#include "compare/iteration/comparison.hpp"
#include "report/kernel_names.hpp"

namespace kjoule {

/// Return tables for a terminal, with the unit in each column head.
std::string full_text(const nlohmann::json& run, const ProgramIterations& full);
std::string isolated_text(const std::vector<KernelResult>& kernels, size_t top,
                          NameStyle style = NameStyle::shortened);
std::string comparison_text(const Comparison& comparison, size_t top, NameStyle style = NameStyle::shortened);
/// Returns a table of the kernels of a recording with `launches` launches: all in the order of the recording,
/// or the `top` kernels of largest time (without times, of most launches).
std::string kernels_text(const std::vector<KernelResult>& kernels, size_t launches,
                         NameStyle style = NameStyle::shortened, std::optional<size_t> top = {});

/// Returns the kernels as CSV with a header line; cells without a measured value are empty. `of` is the
/// comparison that contains the kernels: their shares are relative to its sum. It may be null.
std::string kernels_csv(const std::vector<KernelResult>& kernels, const Comparison* of = nullptr);
/// Returns the statistics of the program's own iterations as CSV: a header and one line.
std::string full_csv(const ProgramIterations& full);
/// Returns the kernels as a JSON array with the columns of kernels_csv(), without energies. Fields without a
/// measured value are absent.
nlohmann::ordered_json kernels_json(const std::vector<KernelResult>& kernels);
/// Returns the kernels as JSON Lines: one object of kernels_json() per line.
std::string kernels_jsonl(const std::vector<KernelResult>& kernels);

}  // namespace kjoule
